/* SPDX-License-Identifier: MIT */
/*
 * engine_arg: is there such an engine, and a GPU for it?
 */
#ifndef GS_CMD_ENGINE_ARG_H
#define GS_CMD_ENGINE_ARG_H

/* Ends the program with the names there are, or with the reason why no GPU can be used.
 * "auto" and "cpu" always pass; they do not look for a GPU. */
void gs_engine_arg_check(const char *name);
/* The same for searches, which have no engines but these two and "gpu". */
void gs_engine_arg_check_search(const char *name);

#endif
