// What a page says, as MuPDF's text device is to hear it.

#ifndef ARC_LISTEN_H
#define ARC_LISTEN_H

#include "mupdf.h"

// arc_run runs page on dev, a text device, with the context's user context for its
// own. Signs of ZapfDingbats are told as what they are, and each letter in a field
// for a password as an asterisk.
void arc_run(fz_context *ctx, fz_page *page, fz_device *dev, fz_cookie *cookie);

// arc_notes adds to out what people have written of the page, in notes on it and to
// what they have marked, each behind "[note] " on a line of its own. It returns 0 if
// there is more than it adds.
int arc_notes(fz_context *ctx, fz_page *page, fz_buffer *out);

// arc_outside says whether some letter is wholly outside what is shown of the page.
int arc_outside(const fz_stext_page *text, fz_rect shown);

#endif
