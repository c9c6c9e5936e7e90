# gpusort: one non-recursive build.
#
#   make                the program, at build/gpusort
#   make demo           install what is missing, build, sort and index the corpus
#   make test           install what is missing, build, pass every test
#   make deps           install what is missing, and no more
#   make help           every target and variable
#
# Variables: V=1 (show commands), CC, CUDA=0|1, CUDA_ARCH="80 90"|own|all, STATIC=0|1,
# LIBURING=0, WERROR=1, DEBUG=1, SAN=asan|tsan|fuzz, PREFIX, DESTDIR.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules

VERSION := 0.1.0
PREFIX  ?= /usr/local
CUDA_HOME ?= /usr/local/cuda

# --- what this machine has -------------------------------------------------
ifeq ($(origin CC),default)
CC := gcc
endif
BUILD_CC ?= $(CC)
NVCC ?= $(firstword $(wildcard $(CUDA_HOME)/bin/nvcc) $(shell command -v nvcc))
CUDA ?= $(if $(NVCC),1,0)
HASH := \#
comma := ,
space := $() $()
joined = $(subst $(space),$(comma),$(strip $(1)))
has = $(shell printf '$(HASH)include <$(1)>\n' | $(CC) -x c - -fsyntax-only 2>/dev/null \
        && echo 1 || echo 0)
# One with cffi and, for the tests, numpy: which packages of the system bring to its own.
PYTHON ?= $(shell for p in python3 /usr/bin/python3; do \
    $$p -c 'import cffi, numpy' 2>/dev/null && break; done; echo $$p)
LIBURING ?= $(call has,liburing.h)
WERROR   ?= $(if $(CI),1,0)

# --- one folder of objects for each way of building ------------------------
VARIANT := $(notdir $(CC))$(if $(SAN),-$(SAN))$(if $(filter 1,$(DEBUG)),-debug)
VARIANT := $(VARIANT)$(if $(filter 1,$(LIBURING)),-uring)
OBJ := build/$(VARIANT)
# What is linked of the same objects in another way has a folder of its own, with the few
# objects that are not the same.
BIN := $(OBJ)$(if $(filter 1,$(CUDA)),-cuda$(if $(filter own,$(CUDA_ARCH)),-own))$(if \
       $(filter 1,$(STATIC)),-static)$(if $(filter 1,$(FAKE_GPU)),-fakegpu)$(if \
       $(filter 1,$(FAULTS)),-faults)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wcast-qual \
        -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
        -Wundef -Wvla -Wformat=2 -Wswitch-enum
# What a change forgot is named by these, in every build: a switch without one of its cases,
# a function that is not declared or returns nothing.
NEVER := $(addprefix -Werror=,switch switch-enum implicit-function-declaration return-type)
DEFS := -D_GNU_SOURCE -DGS_VERSION='"$(VERSION)"' -DGS_HAVE_LIBURING=$(LIBURING) \
        $(if $(filter 1,$(DEBUG)),-DGS_DEBUG)
# Sanitizers look at the same at -O1, and it compiles in two thirds of the time.
CFLAGS ?= $(if $(SAN),-O1 -g1,-O2 -g)
# A test itself need not be fast, nor be looked at for undefined behaviour: what it tests is.
# Programs of tests/bench are to be as fast as what they measure.
TEST_CFLAGS = $(if $(SAN),-O0 -fno-sanitize=undefined,$(if $(filter tests/unit/%,$<),-O0 -U_FORTIFY_SOURCE))
# Nor does what reads command lines and prints take time, but to be compiled.
CMD_CFLAGS := $(if $(SAN),-O0)
# What makes a fault of ours harder to use, as far as this compiler takes it: hardened.py
# looks for it in the program. Not with sanitizers, which see more. What is asked for in
# CFLAGS comes behind and so wins; what is fortified has been optimized.
taken = $(shell for flag in $(1); do printf '$(HASH)include <stdio.h>\n' | $(CC) -Werror -O2 \
        -U_FORTIFY_SOURCE $$flag -x c -fsyntax-only - 2>/dev/null && echo $$flag; done)
ifeq ($(SAN),)
FORTIFIED := $(if $(findstring _FORTIFY_SOURCE,$(CFLAGS))$(filter -O0,$(CFLAGS)),, \
        $(if $(filter -O%,$(CFLAGS)),-U_FORTIFY_SOURCE \
            $(lastword $(call taken,-D_FORTIFY_SOURCE=2 -D_FORTIFY_SOURCE=3))))
HARDENED := $(call taken,-fstack-protector-strong -fstack-clash-protection \
        -fcf-protection=full -mbranch-protection=standard) $(FORTIFIED)
override CFLAGS := $(HARDENED) $(CFLAGS)
override LDFLAGS := -pie -Wl,-z,relro,-z,now,-z,noexecstack $(LDFLAGS)
endif
# The same objects go into the program and into a shared library, which shows of them only
# what lib/gpusort.h marks.
PLACED := -fPIC -fvisibility=hidden
override CFLAGS += $(PLACED) -std=gnu11 -ffp-contract=off -pthread $(WARN) $(NEVER) $(if $(filter 1,$(WERROR)),-Werror) \
        -I. $(DEFS) -MMD -MP
# Libraries loaded into a program take a fifth of what a small sort does, with CUDA two
# fifths: those whose archives are here go inside. Not so with STATIC=0. The C library, a
# third of the rest, stays outside for valgrind and its like.
is_inside = $(if $(filter 0,$(STATIC))$(SAN),,$(findstring /,$(shell $(CC) -print-file-name=lib$(1).a 2>/dev/null)))
lib = $(if $(call is_inside,$(1)),-l:lib$(1).a,-l$(1))
LDLIBS := $(foreach l,$(if $(filter 1,$(LIBURING)),uring) utf8proc stemmer zstd xxhash z,$(call lib,$(l))) \
          -lm -lpthread
# Small inputs take the ways of large ones.
SMALL := -DGS_BUCKET_COPY_ARENA_MIN=4096 -DGS_BUCKET_COPY_KEYED_MIN=1 \
         -DGS_INPUT_MAP_MIN=1 -DGS_EARLY_SPLIT_MIN=16384 -DGS_STRETCHES_TEXT_MIN=16384 \
         -DGS_EARLY_SPLIT_MAX=5242880 -DGS_LIST_FILE_BUFFER=2048 -DGS_TEXT_PLACE_EVERY=2 \
         -DGS_MERGE_PIECE_MAX=512 \
         -DGS_BUCKET_GIVE_BACK_MIN=1 -DGS_BUCKET_GIVE_BACK_PAGE=4096 -DGS_BUCKET_GIVE_BACK_COST=0
ifneq ($(filter asan fuzz,$(SAN)),)
# What the fuzzers are linked of is good for tests too, at the price of counting.
override CFLAGS += -fsanitize=$(if $(filter fuzz,$(SAN)),fuzzer-no-link$(comma))address,undefined \
        -fno-sanitize-recover=undefined -fno-omit-frame-pointer $(SMALL)
LDFLAGS += -fsanitize=address,undefined
# A thread that is cancelled ends on its stack for signals, which cannot be taken away there.
export ASAN_OPTIONS ?= use_sigaltstack=0
else ifeq ($(SAN),tsan)
override CFLAGS += -fsanitize=thread -fno-omit-frame-pointer $(SMALL)
LDFLAGS += -fsanitize=thread
# The kernel's half of a ring, and rings that come and go at one address, are not seen.
export TSAN_OPTIONS ?= suppressions=$(CURDIR)/tests/tsan.supp
endif
# At any address, if the C library has what starts such a program.
STATIC_PIE := $(if $(SAN),,$(if $(findstring /,$(shell $(CC) -print-file-name=rcrt1.o 2>/dev/null)),-static-pie))
# A driver is loaded into the program, and with it the C library that it was made for: with
# CUDA that one stays dynamic, and everything else goes inside.
ifeq ($(STATIC),1)
ifeq ($(CUDA),1)
LDLIBS := -Wl,-Bstatic $(filter-out -lm -lpthread,$(LDLIBS)) -lstdc++ -Wl,-Bdynamic \
          -static-libgcc -lm -lpthread
else
override LDFLAGS := $(patsubst -pie,$(STATIC_PIE),$(LDFLAGS)) $(if $(STATIC_PIE),,-static)
endif
endif

# --- sources ---------------------------------------------------------------
# Without CUDA the GPU's functions are looked for in a plugin (gpu/plugin).
PLUGIN_TABLE_C := gpu/plugin/gpu_plugin.c
GPU_FORWARD_C  := $(filter-out $(PLUGIN_TABLE_C),$(wildcard gpu/plugin/*.c))
LIB_C  := $(wildcard lib/*/*.c lib/*/*/*.c io/*.c) \
          $(filter-out $(PLUGIN_TABLE_C) $(GPU_FORWARD_C),$(wildcard gpu/*/*.c))
CMD_C  := $(wildcard cmd/*.c)
ifeq ($(CUDA),1)
CUDA_CU := $(wildcard gpu/*/*.cu)
else
LIB_C   += $(GPU_FORWARD_C)
endif
# For tests: a GPU that is a plain sort, and that fails when told to.
ifeq ($(FAKE_GPU),1)
LIB_C := $(filter-out gpu/plugin/forward_%,$(LIB_C)) $(wildcard tests/fake_gpu/*.c)
FAKE_O := $(BIN)/gpu/plugin/forward_engine.o
FAKED := device_count device_is_likely device_memory_new device_memory_free device_copy \
         pinned_memory_new pinned_memory_free engine_fit engine_new engine_submit engine_wait \
         engine_free
$(FAKE_O): private override CFLAGS += $(foreach f,$(FAKED),-Dgs_$(f)=gs_no_$(f))
endif
# For tests: calls to the system that fail when told to (tests/faults/fault_plan.h).
ifeq ($(FAULTS),1)
# Text that does not fit there need not be large for that.
EARLY_C := $(addprefix lib/sort/form/,core_former.c early_split.c list_file.c)
LIB_C := $(filter-out io/aio.c $(EARLY_C),$(LIB_C)) $(wildcard tests/faults/*.c)
EARLY_O := $(EARLY_C:%.c=$(BIN)/%.o)
$(EARLY_O): private override CFLAGS += -DGS_EARLY_SPLIT_MIN=12582912 \
    -DGS_EARLY_SPLIT_MAX=8388608 -DGS_LIST_FILE_BUFFER=65536
RING_O := $(BIN)/io/aio.o
$(RING_O): private override CFLAGS += -include tests/faults/ring_completions.h
override LDFLAGS += $(patsubst %,-Wl$(comma)--wrap=%,$(shell cat tests/faults/wrapped_calls))
endif
TEST_C := $(wildcard tests/unit/*/*.c tests/unit/*/*/*.c tests/unit/*/*/*/*.c)
# What a program is built with, it knows from these; all other objects are of any program.
PLUGIN_O := $(if $(filter 1,$(CUDA)),,$(BIN)/gpu/plugin/plugin_load.o)
$(PLUGIN_O): private override CFLAGS += \
    -DGS_HAVE_PLUGIN=$(if $(filter 1,$(STATIC) $(FAKE_GPU) $(FAULTS)),0,1)
MACHINE_O := $(BIN)/lib/api/api_machine.o
$(MACHINE_O): private override CFLAGS += -DGS_HAVE_CUDA=$(CUDA)
OWN_O  := $(FAKE_O) $(EARLY_O) $(RING_O) $(PLUGIN_O) $(MACHINE_O)
LIB_O  := $(patsubst %.c,$(OBJ)/%.o,$(filter-out gpu/plugin/plugin_load.c lib/api/api_machine.c,$(LIB_C))) \
          $(FAKE_O) $(EARLY_O) $(RING_O) $(PLUGIN_O) $(MACHINE_O) $(CUDA_CU:%.cu=$(BIN)/%.cu.o)
CMD_O  := $(CMD_C:%.c=$(OBJ)/%.o)
# The thread sanitizer sees nothing in a test that starts no threads.
ifeq ($(SAN),tsan)
TEST_C := $(shell grep -l CHECK_STARTS_THREADS $(TEST_C))
endif
TEST_X := $(TEST_C:%.c=$(BIN)/%)
FUZZ_X := $(patsubst %.c,$(BIN)/%,$(wildcard tests/fuzz_*.c))

# And that of the GPU of this machine, if it is another one that nvcc knows: what is not
# compiled here is compiled by the driver, at the first run. CUDA_ARCH=own is that one alone;
# without a GPU, which can run nothing, it is 90 in a hurry. CUDA_ARCH=all is one of each
# generation that nvcc knows, for packages that go to other machines.
ifeq ($(CUDA)$(filter-out own,$(CUDA_ARCH)),1)
OWN_ARCH := $(filter $(patsubst sm_%,%,$(shell $(NVCC) --list-gpu-code)),\
              $(subst .,,$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null)))
HURRY := $(if $(CUDA_ARCH),$(if $(OWN_ARCH),,\
           $(shell $(NVCC) --help | grep -o -m 1 -e '--Ofast-compile' | sed 's/$$/=max -O0/')))
override CUDA_ARCH := $(if $(CUDA_ARCH),$(or $(sort $(OWN_ARCH)),90),$(filter-out 80 90,$(OWN_ARCH)) 80 90)
endif
ifeq ($(CUDA_ARCH),all)
override CUDA_ARCH := $(filter $(patsubst sm_%,%,$(shell $(NVCC) --list-gpu-code)),80 90 100 120)
endif
CUDA_LAST := $(lastword $(CUDA_ARCH))
GENCODE   := $(foreach a,$(CUDA_ARCH),-gencode=arch=compute_$(a),code=sm_$(a)) \
             -gencode=arch=compute_$(CUDA_LAST),code=compute_$(CUDA_LAST)
NVCCFLAGS := -std=c++17 $(or $(HURRY),-O3 -lineinfo) -I. $(GENCODE) -Werror all-warnings \
             -Xcompiler=$(call joined,-Wall -Wextra $(PLACED) -fno-gnu-unique $(HARDENED)) $(DEFS) --threads 0
ifneq ($(CUDA_CU),)
CUDA_LIBS := -L$(CUDA_HOME)/lib64 -lcudart_static -ldl -lrt \
             $(if $(filter 1,$(STATIC)),,$(call lib,stdc++) -static-libgcc)
endif

# --- rules -----------------------------------------------------------------
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-5s %s\n' '$(1)' '$(2)')

.PHONY: all help deps demo test test-long fresh-test programs print-program print-inside unit-test cli-test \
        faults faults-run stops stops-run hardened-test limits-test library-test python-test ray-plain-test ray-test plugin-test plugin-run print-plugin \
        diff-test table-test fake-gpu-test fake-gpu-run index-test join-test search-test flips soak reliability \
        fuzz fuzz-run gpu-programs \
        gpu-test gpu-yardstick asan tsan memcheck lint format bench codec-bench feed-bench install \
        library install-library gpu-plugin wheel ray-wheel deb uninstall clean FORCE
all: build/gpusort

# The one name people know is a copy of the variant last asked for.
build/gpusort: $(BIN)/gpusort FORCE
	$(Q)cmp -s $< $@ || { cp $< $@.tmp && mv $@.tmp $@; }

$(BIN)/gpusort: $(CMD_O) $(BIN)/libgpusort.a $(BIN)/link-flags $(if $(SAN),,$(OBJ)/cmd/link/defer_tables)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(CMD_O) $(BIN)/libgpusort.a $(CUDA_LIBS) $(LDLIBS)
	$(if $(SAN),,$(Q)$(LATE) $@ || { rm -f $@; exit 1; })

# What the loader need not do at each start (lib/base/late_relocations.h).
LATE := $(OBJ)/cmd/link/defer_tables
$(LATE): cmd/link/defer_tables.c $(OBJ)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(BUILD_CC) $(WARN) -O1 -D_GNU_SOURCE -o $@ $<

$(BIN)/libgpusort.a: $(LIB_O)
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $(LIB_O)

# For other programs. In the archive of it, too, nothing is seen but gpusort.h; what it needs
# of other libraries stays outside, and pkg-config says so.
SONAME := libgpusort.so.$(firstword $(subst ., ,$(VERSION)))
# Templates of C++ show themselves, whatever the compiler is told.
SHOWN := -Wl,--version-script=lib/api/shown.map
SHARED_LDLIBS := $(patsubst -l:lib%.a,-l%,$(LDLIBS))
$(BIN)/$(SONAME): $(LIB_O) $(BIN)/link-flags
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(filter-out -pie,$(LDFLAGS)) -shared -Wl,-soname,$(SONAME) \
	    $(if $(SAN),,-Wl,--no-undefined) $(SHOWN) -o $@ $(LIB_O) $(CUDA_LIBS) $(SHARED_LDLIBS)

$(BIN)/shown/libgpusort.a: $(LIB_O)
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && ld -r --force-group-allocation -o $(@:.a=.o) $(LIB_O) && \
	    objcopy --wildcard --keep-global-symbol='gpusort_*' $(@:.a=.o) && ar rcs $@ $(@:.a=.o) && rm $(@:.a=.o)

compile = $(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) $(if $(filter cmd/%,$<),$(CMD_CFLAGS)) -c -o $@ $<
$(OBJ)/%.o: %.c $(OBJ)/flags
	$(call say,CC,$<)
	$(compile)

$(OWN_O): $(BIN)/%.o: %.c $(OBJ)/flags
	$(call say,CC,$<)
	$(compile)

$(BIN)/%.cu.o: %.cu $(BIN)/nvcc-flags
	$(call say,NVCC,$<)
	$(Q)mkdir -p $(@D) && $(NVCC) $(NVCCFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

$(BIN)/tests/%: tests/%.c $(BIN)/libgpusort.a $(OBJ)/flags $(BIN)/link-flags
	$(call say,TEST,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) $(TEST_CFLAGS) -MT $@ -MF $@.d -c -o $@.o $< && \
	    $(CC) $(LDFLAGS) -o $@ $@.o $(BIN)/libgpusort.a $(CUDA_LIBS) $(LDLIBS)

# This one makes, and looks at, more text than it takes time to compile.
$(BIN)/tests/unit/lib/sort/form/test_early_split: private TEST_CFLAGS += $(if $(SAN),,-O1)

$(BIN)/tests/fuzz_%: tests/fuzz_%.c $(BIN)/libgpusort.a $(OBJ)/flags $(BIN)/link-flags
	$(call say,FUZZ,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer -o $@ $< \
	    $(FUZZ_O) $(BIN)/libgpusort.a $(LDLIBS)

# The parsers of command lines end the program: what they call for that comes back.
FUZZ_ARGUMENTS := $(BIN)/tests/fuzz_arguments
$(FUZZ_ARGUMENTS): private FUZZ_O := $(filter-out $(OBJ)/cmd/main.o,$(CMD_O))
$(FUZZ_ARGUMENTS): private LDFLAGS += -Wl,--wrap=exit,--wrap=gs_stdout_close
$(FUZZ_ARGUMENTS): $(filter-out $(OBJ)/cmd/main.o,$(CMD_O))

# Rebuild when the flags change, not only when a file does.
$(OBJ)/flags: FLAGS = $(CC) $(CFLAGS)
$(BIN)/nvcc-flags: FLAGS = $(NVCC) $(NVCCFLAGS)
$(BIN)/link-flags: FLAGS = $(strip $(CC) $(LDFLAGS) $(CUDA_LIBS) $(LDLIBS) $(TEST_CFLAGS))
$(OBJ)/flags $(BIN)/nvcc-flags $(BIN)/link-flags: FORCE | $(OBJ)/needs
	$(Q)mkdir -p $(@D); new='$(subst ','\'',$(FLAGS))'; \
	    [ "$$(cat $@ 2>/dev/null)" = "$$new" ] || printf '%s\n' "$$new" > $@

# Asked once for each folder of objects: does this machine have what the build needs?
$(OBJ)/needs:
	$(Q)CC='$(CC)' tests/install_deps.sh --check && mkdir -p $(@D) && touch $@

-include $(LIB_O:.o=.d) $(CMD_O:.o=.d) $(TEST_X:=.d) $(FUZZ_X:=.d)

# --- what a person calls ----------------------------------------------------
help:
	@printf '%s\n' \
	  'make            build/gpusort' \
	  'make demo       install what is missing, build, sort and index the corpus' \
	  'make test       install what is missing, build, pass every test' \
	  'make test-long  the same checks with many more cases' \
	  'make fresh-test "make demo" and "make test" in a Debian made for it (as root)' \
	  'make deps       install what is missing, and no more' \
	  'make unit-test  the unit tests of this variant' \
	  'make cli-test   the command line against expected output' \
	  'make diff-test  thousands of cases against the system'"'"'s sort (CASES=N)' \
	  'make table-test tables, JSON lines, locales and parts against other programs' \
	  'make fake-gpu-test  the way through a GPU, without one' \
	  'make faults     every call to the system fails in turn (FAULT_POINTS=N: N of them)' \
	  'make stops      power cuts at every call that changes the disk, and 1000 kills' \
	  'make limits-test  small limits, and what has bitten other sorts' \
	  'make library-test  libgpusort as others get it: installed, and examples built against it' \
	  'make python-test  the wheel, unpacked, against the command' \
	  'make ray-test   gpusort-ray on clusters on this machine; fetches Ray into build/ray-venv' \
	  'make plugin-test  a GPU that is a library of its own (a fake one)' \
	  'make hardened-test  guards against attackers, read from the program' \
	  'make index-test indexes of random documents against what they must hold' \
	  'make join-test   random joins against join(1), csv and SQLite' \
	  'make search-test random queries against what they must find' \
	  'make flips      bits of runs, indexes, inputs and checkpoints flipped (FLIPS=8000 each)' \
	  'make soak       random commands, limits, kills and resumes (SOAK_MINUTES=10 SOAK_JOBS=)' \
	  'make fuzz       every parser against hostile input (FUZZ_SECONDS=600 each)' \
	  'make reliability  tests/RELIABILITY.md, of the results in build/reliability' \
	  'make asan tsan  the tests under sanitizers' \
	  'make gpu-test   the engines on the GPU of this machine' \
	  'make gpu-yardstick  Zipf tuples against CUB on the bits that vary' \
	  'make memcheck   a few of these under compute-sanitizer' \
	  'make lint       format, includes, banned calls' \
	  'make format     clang-format everything' \
	  'make bench      against GNU sort and Tantivy, to tests/bench/RESULTS.md (BENCH_VENV=dir)' \
	  'make feed-bench  files in memory to a GPU: the host alone, and whole sorts (BENCH_GB=4)' \
	  'make codec-bench  bytes and speed of the codes for posting lists (BENCH_GB=1)' \
	  'make library    libgpusort, shared and static, for other programs' \
	  'make gpu-plugin  with CUDA: what a program without CUDA opens where there is a GPU' \
	  'make deb        Debian packages, to build/deb' \
	  'make ray-wheel  for Ray: build/ray-wheel/gpusort_ray-*.whl, which has the program inside' \
	  'make wheel      for Python: build/wheel/gpusort-*.whl, which has the library inside' \
	  'make install    to $(DESTDIR)$(PREFIX): the program and the library' \
	  'Variables: V=1 CC= BUILD_CC= CUDA=0|1 CUDA_ARCH="80 90"|own|all STATIC=0|1 LIBURING=0 WERROR=1 DEBUG=1'

deps:
	@tests/install_deps.sh

# The tools that are missing come first; what they change is seen by the second make.
demo:
	@tests/install_deps.sh
	@$(MAKE) --no-print-directory all
	@corpus/demo.sh build/gpusort

test:
	@tests/install_deps.sh
	@tests/run_all.sh

test-long:
	@tests/install_deps.sh
	@tests/run_all.sh --long

fresh-test:
	@tests/fresh_machine.sh

CASES ?= 1500
PROGRAM := $(BIN)/gpusort
programs: $(PROGRAM) $(TEST_X)
print-program:
	@echo $(PROGRAM)
unit-test: $(TEST_X)
	@tests/run_unit.sh $(TEST_X)
cli-test: $(PROGRAM)
	@tests/run_cli.sh -p $(CURDIR)/$(PROGRAM)
diff-test: $(PROGRAM)
	@python3 tests/differential.py --binary $(CURDIR)/$(PROGRAM) --cases $(CASES)

table-test: $(PROGRAM)
	@python3 tests/table_check.py --binary $(CURDIR)/$(PROGRAM) $(TABLE_TEST_ARGS)
	@python3 tests/json_check.py --binary $(CURDIR)/$(PROGRAM) $(TABLE_TEST_ARGS)
	@python3 tests/locale_check.py --binary $(CURDIR)/$(PROGRAM) $(TABLE_TEST_ARGS)
	@python3 tests/partition_check.py --binary $(CURDIR)/$(PROGRAM) $(TABLE_TEST_ARGS)

limits-test: $(PROGRAM)
	@python3 tests/limits/run.py --binary $(CURDIR)/$(PROGRAM) $(LIMITS_TEST_ARGS)

python-test: $(PROGRAM) wheel
	@$(PYTHON) tests/api/python.py build/wheel/*.whl $(PROGRAM)
	@tests/api/python_types.sh build/wheel/*.whl

# What needs no Ray; and, in an environment of its own, what does.
ray-plain-test:
	@python3 -B tests/ray/test_plain.py

RAY_VENV = build/ray-venv
ray-test: ray-plain-test ray-wheel
	@[ -x $(RAY_VENV)/bin/ray ] || { $(PYTHON) -m venv $(RAY_VENV) && \
	    $(RAY_VENV)/bin/pip install -q ray 's3fs' boto3 'moto[server]' xxhash; }
	@$(RAY_VENV)/bin/pip install -q --force-reinstall --no-deps build/ray-wheel/*.whl
	@for test in $(or $(RAY_TESTS),$(filter-out %/test_plain.py,$(wildcard tests/ray/test_*.py))); do \
	    GPUSORT=$(CURDIR)/$(PROGRAM) $(RAY_VENV)/bin/python -B $$test || exit 1; done

library-test: $(PROGRAM) library
	@SANITIZER="$(filter -fsanitize=%,$(LDFLAGS))" tests/api/run.sh $(CURDIR)/$(PROGRAM)

hardened-test: $(PROGRAM)
	@python3 tests/hardened.py $(if $(filter 1,$(STATIC)),$(if $(filter 1,$(CUDA)),,--static)) \
	    $(PROGRAM) $(BIN)/libgpusort.a $(CMD_O)

# The way through a GPU on a machine without one (tests/fake_gpu).
fake-gpu-test:
	@$(MAKE) --no-print-directory FAKE_GPU=1 CUDA=0 fake-gpu-run
fake-gpu-run: $(PROGRAM) $(addprefix $(BIN)/tests/unit/lib/,sort/test_sort_failures sort/test_changed_input \
                                                     sort/device/test_device_choice \
                                                     api/test_number_device api/test_api_output \
                                                     api/test_api_heads)
	@tests/fake_gpu/heads.sh $(CURDIR)/$(BIN)/tests/unit/lib/api/test_api_heads
	@tests/fake_gpu/run.sh $(CURDIR)/$(PROGRAM) $(CASES)
	@tests/fake_gpu/group.sh $(CURDIR)/$(PROGRAM) $(if $(SAN),few)

plugin-test:
	@$(MAKE) --no-print-directory FAKE_GPU=1 CUDA=0 gpu-plugin
	@$(MAKE) --no-print-directory CUDA=0 plugin-run FAKE_PLUGIN=$(CURDIR)/$$($(MAKE) -s --no-print-directory FAKE_GPU=1 CUDA=0 print-plugin)
plugin-run: $(PROGRAM)
	@tests/fake_gpu/plugin.sh $(CURDIR)/$(PROGRAM) $(FAKE_PLUGIN)

# Every call to the system fails in turn (tests/faults); so many points only with FAULT_POINTS.
FAULT_POINTS ?= 0
STOP_ARGS ?= --kills 1000
faults stops:
	@$(MAKE) --no-print-directory FAULTS=1 CUDA=0 $@-run
stops-run: $(PROGRAM)
	@tests/faults/stop.py --binary $(CURDIR)/$(PROGRAM) $(STOP_ARGS)
faults-run: $(PROGRAM)
	@tests/faults/walk.py --binary $(CURDIR)/$(PROGRAM) --points $(FAULT_POINTS) $(FAULT_ARGS)

index-test: $(PROGRAM)
	@python3 tests/ciff_check.py --binary $(CURDIR)/$(PROGRAM)
	@python3 tests/ciff_foreign.py --binary $(CURDIR)/$(PROGRAM)
	@python3 tests/ciff_rules.py --binary $(CURDIR)/$(PROGRAM) $(if $(SAN),--damage=$(if $(GS_TEST_LONG),40,$(if $(filter tsan,$(SAN)),10,25)))
	@python3 tests/index_check.py --binary $(CURDIR)/$(PROGRAM) $(INDEX_TEST_ARGS)
	@python3 tests/grow_check.py --binary $(CURDIR)/$(PROGRAM) --cases $(if $(GS_TEST_LONG),60,$(if $(SAN),1,3))

join-test: $(PROGRAM)
	@python3 tests/join_check.py --binary $(CURDIR)/$(PROGRAM) $(JOIN_TEST_ARGS)
	@python3 tests/join_csv_check.py --binary $(CURDIR)/$(PROGRAM) $(JOIN_TEST_ARGS)
	@python3 tests/join_tuple_check.py --binary $(CURDIR)/$(PROGRAM) $(JOIN_TEST_ARGS)
	@python3 tests/band_check.py --binary $(CURDIR)/$(PROGRAM) $(JOIN_TEST_ARGS)

search-test: $(PROGRAM)
	@python3 tests/search_check.py --binary $(CURDIR)/$(PROGRAM) $(SEARCH_TEST_ARGS)

# Every bit of what is kept, flipped in turn: so many of each kind of file.
FLIPS ?= 8000
RESUMES ?= 600
FLIPS_JSON ?= build/reliability/flips.json
flips: $(PROGRAM) $(BIN)/tests/unit/lib/test_flips
	@tests/flips.py --binary $(PROGRAM) --unit $(BIN)/tests/unit/lib/test_flips --flips $(FLIPS) \
	    --resumes $(RESUMES) --json '$(FLIPS_JSON)'

# Random commands under random troubles. SOAK_CASES=N is so many and no longer; SOAK_SEED
# gives the same ones again; failing cases, made smaller, stay in build/soak.
SOAK_MINUTES ?= 10
SOAK_JSON ?= build/reliability/soak.json
soak: $(PROGRAM)
	@python3 tests/soak.py --binary $(CURDIR)/$(PROGRAM) --json $(SOAK_JSON) \
	    $(if $(SOAK_CASES),--cases $(SOAK_CASES),--minutes $(SOAK_MINUTES)) \
	    $(if $(SOAK_SEED),--seed $(SOAK_SEED)) $(if $(SOAK_JOBS),--jobs $(SOAK_JOBS)) $(SOAK_ARGS)

# tests/RELIABILITY.md, of the results that other targets left in RELIABILITY_RESULTS.
RELIABILITY_RESULTS ?= build/reliability
reliability:
	@tests/reliability.py --results $(RELIABILITY_RESULTS)

# FUZZ_JSON gets how often each was run.
FUZZ_SECONDS ?= 600
FUZZ_JSON ?= build/reliability/fuzz.json
fuzz:
	@$(MAKE) --no-print-directory CC=clang SAN=fuzz CUDA=0 fuzz-run
fuzz-run: $(FUZZ_X)
	@tests/run_fuzz.sh --json $(FUZZ_JSON) $(FUZZ_SECONDS) $(FUZZ_X)

asan tsan:
	@$(MAKE) --no-print-directory SAN=$@ CUDA=0 unit-test
	@$(MAKE) --no-print-directory SAN=$@ CUDA=0 CASES=$(or $(SAN_CASES),200) diff-test
	@$(MAKE) --no-print-directory SAN=$@ CUDA=0 INDEX_TEST_ARGS=--documents=150 index-test
	@$(MAKE) --no-print-directory SAN=$@ CUDA=0 \
	    SEARCH_TEST_ARGS='--documents=1500 --queries=4' search-test

lint:
	@tests/lint.sh

FORMATTED = lib/gpusort.h $(wildcard cmd/*.[ch] lib/*/*.[ch] lib/*/*/*.[ch] io/*.[ch] gpu/*/*.[ch] gpu/*/*.cu gpu/*/*.cuh \
              tests/*.[ch] tests/*/*.[ch] $(TEST_C))
format:
	clang-format -i $(FORMATTED)

$(BIN)/tests/bench/posting_codec: private LDLIBS += \
    $(if $(filter 1,$(call has,streamvbyte.h)),-lstreamvbyte)
codec-bench: all $(BIN)/tests/bench/posting_codec
	@tests/bench/posting_codec.sh $(BIN)/tests/bench/posting_codec

feed-bench: all $(BIN)/tests/bench/gpu_feed
	@tests/bench/gpu_feed.sh $(CURDIR)/$(PROGRAM) $(BIN)/tests/bench/gpu_feed

bench: all
	@tests/bench/sort_vs_gnu.sh
	@tests/bench/real_vs_gnu.py
	@tests/bench/join_vs_others.py
	@tests/bench/stats_vs_others.py
	@tests/bench/index_vs_tantivy.py
	@tests/bench/search_vs_others.py

install: all install-library
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
	    $(DESTDIR)$(PREFIX)/share/man/man7 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 build/gpusort $(DESTDIR)$(PREFIX)/bin/gpusort
	install -m 644 $(wildcard man/*.1) $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(wildcard man/*.7) $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 644 cmd/completions/gpusort.bash \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/gpusort
	install -m 644 cmd/completions/_gpusort \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_gpusort
	install -m 644 cmd/completions/gpusort.fish \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/gpusort.fish

# For a program and a library without CUDA, on machines that have a GPU.
GPU_PLUGIN := libgpusort-gpu.so.$(firstword $(subst ., ,$(VERSION)))
gpu-plugin: $(BIN)/$(GPU_PLUGIN)
print-plugin:
	@echo $(BIN)/$(GPU_PLUGIN)
$(BIN)/$(GPU_PLUGIN): $(OBJ)/$(PLUGIN_TABLE_C:.c=.o) $(BIN)/libgpusort.a $(BIN)/link-flags
	$(call say,LINK,$@)
	$(Q)$(CC) $(filter-out -pie,$(LDFLAGS)) -shared -Wl,-soname,$(GPU_PLUGIN) \
	    $(if $(SAN),,-Wl,--no-undefined) -Wl,--exclude-libs,ALL -o $@ $(filter %.o %.a,$^) $(CUDA_LIBS) $(LDLIBS)

# cmd/deb
deb:
	@cmd/deb/make.sh $(VERSION) $(CUDA)

# What goes inside, of which copies carry the licences.
INSIDE = $(patsubst -l:lib%.a,%,$(filter -l:lib%.a,$(LDLIBS)))
print-inside:
	@echo $(INSIDE)
$(BIN)/NOTICES: cmd/link/notices.sh $(BIN)/link-flags
	$(Q)CC="$(CC)" $< $(INSIDE) >$@.tmp && mv $@.tmp $@

# For Python: the library with all that it needs inside, but the C library.
$(BIN)/inside/$(SONAME): $(LIB_O) $(BIN)/link-flags
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(filter-out -pie,$(LDFLAGS)) -shared -Wl,-soname,$(SONAME) -s \
	    -Wl,--no-undefined $(SHOWN) -o $@ $(LIB_O) $(CUDA_LIBS) $(LDLIBS)
wheel: $(BIN)/inside/$(SONAME) $(BIN)/NOTICES
	$(Q)rm -rf build/wheel && \
	    $(PYTHON) cmd/python/wheel.py --library=$< --notices=$(BIN)/NOTICES --out=build/wheel

# For Ray: the package, with the program inside.
ray-wheel: $(PROGRAM) $(BIN)/NOTICES
	$(Q)rm -rf build/ray-wheel && \
	    $(PYTHON) cmd/ray/ray_wheel.py --program=$< --notices=$(BIN)/NOTICES --out=build/ray-wheel

# The library, its header and what pkg-config says of it.
LIBDIR ?= $(PREFIX)/lib
# NAME:PAGE of the calls whose page has another's name.
MAN3_ALIASES = $(shell awk '/^\.SH/ { named = $$2 == "NAME"; next } named { gsub(/,/, ""); \
    for (i = 1; i <= NF && (named = $$i != "\\-"); i++) { page = FILENAME; sub(/.*\//, "", page); \
    if ($$i ".3" != page) print $$i ":" page } }' man/*.3)
library: $(BIN)/$(SONAME) $(BIN)/shown/libgpusort.a
# Programs find a library in a new place once ldconfig has seen it, which root alone may run.
install-library: library
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include \
	    $(DESTDIR)$(PREFIX)/share/man/man3
	install -m 644 lib/gpusort.h $(DESTDIR)$(PREFIX)/include/gpusort.h
	install -m 755 $(BIN)/$(SONAME) $(DESTDIR)$(LIBDIR)/libgpusort.so.$(VERSION)
	ln -sf libgpusort.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libgpusort.so
	install -m 644 $(BIN)/shown/libgpusort.a $(DESTDIR)$(LIBDIR)/libgpusort.a
	install -m 644 $(wildcard man/*.3) $(DESTDIR)$(PREFIX)/share/man/man3
	for page in $(MAN3_ALIASES); do \
	    echo ".so man3/$${page#*:}" >$(DESTDIR)$(PREFIX)/share/man/man3/$${page%:*}.3; done
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$${prefix}/include' '' \
	    'Name: gpusort' 'Description: sorts and inverted indexes larger than memory' \
	    'Version: $(VERSION)' 'Libs: -L$${libdir} -lgpusort' \
	    'Libs.private: $(CUDA_LIBS) $(SHARED_LDLIBS)' \
	    'Cflags: -I$${includedir}' >$(DESTDIR)$(LIBDIR)/pkgconfig/gpusort.pc
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/gpusort.pc
	$(if $(DESTDIR),,@ldconfig 2>/dev/null || true)

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/gpusort $(DESTDIR)$(PREFIX)/include/gpusort.h \
	    $(addprefix $(DESTDIR)$(LIBDIR)/,libgpusort.so.$(VERSION) $(SONAME) libgpusort.so \
	        libgpusort.a pkgconfig/gpusort.pc) \
	    $(addprefix $(DESTDIR)$(PREFIX)/share/man/man3/,$(notdir $(wildcard man/*.3)) \
	        $(foreach alias,$(MAN3_ALIASES),$(firstword $(subst :, ,$(alias))).3)) \
	    $(addprefix $(DESTDIR)$(PREFIX)/share/man/man1/,$(notdir $(wildcard man/*.1))) \
	    $(addprefix $(DESTDIR)$(PREFIX)/share/man/man7/,$(notdir $(wildcard man/*.7))) \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/gpusort \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_gpusort \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/gpusort.fish

# --- the engines on a GPU ----------------------------------------------------
GPU_TEST_X := $(patsubst %.c,$(BIN)/%,$(wildcard tests/gpu/test_*.c))
gpu-programs: $(PROGRAM) $(GPU_TEST_X)
gpu-test: gpu-programs
	@tests/gpu/run.sh $(CURDIR)/$(BIN) $(if $(filter-out file,$(origin CASES)),$(CASES))

# Zipf tuples against CUB limited to the bits that vary, in one run.
YARDSTICK := $(BIN)/tests/gpu/yardstick
$(YARDSTICK): $(BIN)/tests/gpu/yardstick.cu.o $(BIN)/libgpusort.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(CUDA_LIBS) -lstdc++ $(LDLIBS)
gpu-yardstick: $(YARDSTICK) $(BIN)/gpusort
	@tests/gpu/yardstick.sh $(BIN)

memcheck: $(GPU_TEST_X)
	@tests/gpu/sanitize.sh $(BIN) $(CUDA_HOME)/bin/compute-sanitizer

clean:
	$(Q)rm -rf build
