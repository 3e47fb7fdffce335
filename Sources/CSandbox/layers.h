#ifndef LAYERS_H
#define LAYERS_H

/* Each returns 1 when the layer is closed. */
int sandbox_close_files(void);
int sandbox_close_system_calls(void);

#endif
