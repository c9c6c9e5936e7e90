/* SPDX-License-Identifier: MIT */
/*
 * defer_tables PROGRAM: what the loader is to do to the tables of the stemmers is left
 * to the program (lib/base/late_relocations.h). Run when PROGRAM is linked.
 *
 *      .rela.dyn   | relative ........ | others |    the loader's, all of it
 *                  | relative | others | late   |    the loader's, and the program's
 *
 * The relative ones of the tables go to the end of the list, which the dynamic section
 * then says to be shorter. Tables are known by the names of the files that they come
 * from, in the table of symbols. A program without one, without such tables, or with a
 * list of another kind stays as it is.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#ifdef __aarch64__
enum { MACHINE = EM_AARCH64, RELATIVE = R_AARCH64_RELATIVE };
#else
enum { MACHINE = EM_X86_64, RELATIVE = R_X86_64_RELATIVE };
#endif

static const char list_name[] = "gs_late_relocations_list";

/* As lib/base/late_relocations.h. */
typedef struct late_list {
    uint64_t own_address, first, count;
} late_list;

typedef struct program {
    uint8_t *data;
    size_t bytes;
    const Elf64_Ehdr *head;
    const Elf64_Phdr *segments;
    const Elf64_Shdr *sections;
} program;

static bool is_inside(const program *p, uint64_t offset, uint64_t bytes)
{
    return offset <= p->bytes && bytes <= p->bytes - offset;
}

/* Memory of zeros; NULL if there is none. */
static void *take_memory(size_t bytes)
{
    void *const memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

static bool read_program(program *p, const char *name)
{
    FILE *const f = fopen(name, "rb");
    struct stat info;
    if (f != NULL && fstat(fileno(f), &info) == 0 && info.st_size > 0 &&
        (p->data = take_memory((size_t)info.st_size)) != NULL)
        p->bytes = fread(p->data, 1, (size_t)info.st_size, f);
    if (f != NULL)
        (void)fclose(f);
    return p->bytes > 0 && p->bytes == (size_t)info.st_size;
}

/* Is it a program at any address, of this kind of processor, with sections? */
static bool is_known(program *p)
{
    const Elf64_Ehdr *const h = (const Elf64_Ehdr *)p->data;
    p->head = h;
    if (!is_inside(p, 0, sizeof *h) || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
        h->e_type != ET_DYN || h->e_machine != MACHINE ||
        h->e_shentsize != sizeof(Elf64_Shdr) || h->e_phentsize != sizeof(Elf64_Phdr) ||
        !is_inside(p, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)) ||
        !is_inside(p, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr)))
        return false;
    p->segments = (const Elf64_Phdr *)(p->data + h->e_phoff);
    p->sections = (const Elf64_Shdr *)(p->data + h->e_shoff);
    for (size_t i = 0; i < h->e_shnum; i++)
        if (p->sections[i].sh_type != SHT_NOBITS &&
            !is_inside(p, p->sections[i].sh_offset, p->sections[i].sh_size))
            return false;
    return true;
}

static const Elf64_Shdr *find_section(const program *p, uint32_t type)
{
    for (size_t i = 0; i < p->head->e_shnum; i++)
        if (p->sections[i].sh_type == type)
            return &p->sections[i];
    return NULL;
}

/* Where in the file an address is; NULL if it is not there. */
static uint8_t *place_of(const program *p, uint64_t address, uint64_t bytes)
{
    for (size_t i = 0; i < p->head->e_phnum; i++) {
        const Elf64_Phdr *const s = &p->segments[i];
        if (s->p_type == PT_LOAD && address >= s->p_vaddr && bytes <= s->p_filesz &&
            address - s->p_vaddr <= s->p_filesz - bytes &&
            is_inside(p, s->p_offset, s->p_filesz))
            return p->data + s->p_offset + (address - s->p_vaddr);
    }
    return NULL;
}

static Elf64_Dyn *find_tag(const program *p, int64_t tag)
{
    const Elf64_Shdr *const s = find_section(p, SHT_DYNAMIC);
    for (uint64_t i = 0; s != NULL && i < s->sh_size / sizeof(Elf64_Dyn); i++) {
        Elf64_Dyn *const d = (Elf64_Dyn *)(p->data + s->sh_offset) + i;
        if (d->d_tag == tag)
            return d;
    }
    return NULL;
}

/* Words of what is read-only once the program is relocated: does it lie in a table? */
typedef struct word_marks {
    uint64_t begin, words;
    bool *is_late;
} word_marks;

static bool is_table_file(const char *name)
{
    return strncmp(name, "stem_", 5) == 0 || strncmp(name, "libstemmer", 10) == 0;
}

static void mark(word_marks *m, const Elf64_Sym *symbol)
{
    if (symbol->st_value < m->begin)
        return;
    const uint64_t first = (symbol->st_value - m->begin) / 8;
    for (uint64_t i = first; i < first + symbol->st_size / 8 && i < m->words; i++)
        m->is_late[i] = true;
}

/* Marks the tables; the address of the program's note of them, 0 if it has none. */
static uint64_t mark_tables(const program *p, word_marks *m)
{
    const Elf64_Shdr *const s = find_section(p, SHT_SYMTAB);
    bool is_table = false;
    uint64_t note = 0;
    if (s == NULL || s->sh_link >= p->head->e_shnum)
        return 0;
    const Elf64_Shdr *const strings = &p->sections[s->sh_link];
    const char *const names = (const char *)p->data + strings->sh_offset;
    if (strings->sh_size == 0 || names[strings->sh_size - 1] != '\0')
        return 0;
    for (uint64_t i = 0; i < s->sh_size / sizeof(Elf64_Sym); i++) {
        const Elf64_Sym *const y = (const Elf64_Sym *)(p->data + s->sh_offset) + i;
        if (y->st_name >= strings->sh_size)
            return 0;
        if (ELF64_ST_TYPE(y->st_info) == STT_FILE)
            is_table = is_table_file(names + y->st_name);
        else if (ELF64_ST_TYPE(y->st_info) != STT_OBJECT)
            continue;
        else if (strcmp(names + y->st_name, list_name) == 0)
            note = y->st_value;
        else if (is_table && ELF64_ST_BIND(y->st_info) == STB_LOCAL)
            mark(m, y);
    }
    return note;
}

static bool is_late(const word_marks *m, const Elf64_Rela *r)
{
    const uint64_t at = r->r_offset - m->begin;
    return ELF64_R_TYPE(r->r_info) == RELATIVE && r->r_offset >= m->begin &&
           at % 8 == 0 && at / 8 < m->words && m->is_late[at / 8];
}

/* Stable, with the late ones last; how many these are. */
static uint64_t part(Elf64_Rela *list, uint64_t count, const word_marks *m)
{
    Elf64_Rela *const late = take_memory(count * sizeof *late);
    uint64_t kept = 0, left = 0;
    for (uint64_t i = 0; late != NULL && i < count; i++) {
        if (is_late(m, &list[i]))
            late[left++] = list[i];
        else
            list[kept++] = list[i];
    }
    for (uint64_t i = 0; i < left; i++)
        list[kept + i] = late[i];
    return left;
}

static bool change(program *p, word_marks *m)
{
    Elf64_Dyn *const list = find_tag(p, DT_RELA), *const size = find_tag(p, DT_RELASZ),
                     *const relative = find_tag(p, DT_RELACOUNT);
    if (list == NULL || size == NULL || relative == NULL)
        return false;
    const uint64_t note_address = mark_tables(p, m), count = size->d_un.d_val / 24;
    Elf64_Rela *const all = (Elf64_Rela *)place_of(p, list->d_un.d_ptr, size->d_un.d_val);
    late_list *const note = (late_list *)place_of(p, note_address, sizeof *note);
    if (note_address == 0 || note == NULL || all == NULL || note->count != 0)
        return false;
    const uint64_t late = part(all, count, m);
    if (late == 0 || late > relative->d_un.d_val)
        return false;
    size->d_un.d_val -= late * sizeof *all;
    relative->d_un.d_val -= late;
    *note = (late_list){note_address, list->d_un.d_ptr + size->d_un.d_val, late};
    return true;
}

static bool write_program(const program *p, const char *name)
{
    FILE *const f = fopen(name, "r+b");
    if (f == NULL)
        return false;
    const bool is_written = fwrite(p->data, 1, p->bytes, f) == p->bytes;
    return fclose(f) == 0 && is_written;
}

int main(int argc, char **argv)
{
    program p = {0};
    word_marks m = {0};
    if (argc != 2 || !read_program(&p, argv[1])) {
        fprintf(stderr, "defer_tables: cannot read %s\n", argc == 2 ? argv[1] : "it");
        return 1;
    }
    if (!is_known(&p))
        return 0;
    for (size_t i = 0; i < p.head->e_phnum; i++) {
        if (p.segments[i].p_type != PT_GNU_RELRO)
            continue;
        m.begin = p.segments[i].p_vaddr & ~(uint64_t)7;
        m.words = p.segments[i].p_memsz / 8;
    }
    m.is_late = take_memory(m.words + 1);
    if (m.is_late != NULL && change(&p, &m) && !write_program(&p, argv[1])) {
        fprintf(stderr, "defer_tables: cannot write %s\n", argv[1]);
        return 1;
    }
    return 0;
}
