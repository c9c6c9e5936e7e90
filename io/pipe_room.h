/* SPDX-License-Identifier: MIT */
/*
 * pipe_room: a pipe that takes more at once costs who writes and who reads fewer
 * switches.
 */
#ifndef GS_IO_PIPE_ROOM_H
#define GS_IO_PIPE_ROOM_H

/* What anyone may ask for, until a user has many pipes. */
enum { GS_PIPE_BYTES = 1 << 20 };

/* Asks for so much room, which may be refused; a pipe that has more keeps it. The bytes
 * of room that there are then; 0: it is no pipe. */
int gs_pipe_widen(int fd);

#endif
