/* SPDX-License-Identifier: MIT */
/*
 * join_usage: what `gpusort join --help` prints.
 */
#ifndef GS_CMD_JOIN_USAGE_H
#define GS_CMD_JOIN_USAGE_H

extern const char gs_join_usage[];

#endif
