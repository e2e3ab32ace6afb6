// A guard around MuPDF: each call that may throw is in a try of its own, memory
// is counted, and what runs a page can be told to stop.

#ifndef ARC_SHIM_H
#define ARC_SHIM_H

#include <stddef.h>

typedef struct arc_doc arc_doc;

// What a call came to.
typedef enum {
	ARC_OK,
	ARC_FAILED,    // MuPDF threw
	ARC_ENCRYPTED, // it needs another password
	ARC_MEMORY,    // an allocation was refused
	ARC_STOPPED    // arc_stop was called
} arc_status;

// A text of MuPDF's, freed with arc_free_text. It may hold NULs.
typedef struct {
	char *data;
	size_t size;
} arc_text;

// arc_fits says whether the library is the version that this was written for.
int arc_fits(void);

// arc_open opens the PDF file at path. most is how many bytes may be allocated
// for it at a time. *doc is for arc_close also if it fails, unless it is NULL.
arc_status arc_open(arc_doc **doc, const char *path, const char *password, size_t most);

// arc_close frees all, and returns how many bytes MuPDF has kept, which is none.
// NULL is nothing.
size_t arc_close(arc_doc *doc);

// arc_stop makes a call that runs a page, now or later, end soon. It alone may
// be called while another call runs. arc_start takes it back.
void arc_stop(arc_doc *doc);
void arc_start(arc_doc *doc);

arc_status arc_count(arc_doc *doc, int *pages);

// arc_metadata looks up key. The value is cut to size-1 bytes and ends in a NUL;
// it is empty where there is none.
arc_status arc_metadata(arc_doc *doc, const char *key, char *value, int size);

// arc_page loads page number, counted from 0, and does what is asked for: text,
// if not NULL, gets its text with that of form fields and annotations; label, if
// not NULL, the page's printed number, cut to size-1 bytes.
arc_status arc_page(arc_doc *doc, int number, arc_text *text, char *label, int size);

// arc_ink draws page number at dpi dots an inch, at most side dots each way, and
// tells the share of dots that are not white. A page on which nothing could be drawn
// for errors is a failure.
arc_status arc_ink(arc_doc *doc, int number, float dpi, int side, double *share);

void arc_free_text(arc_text *text);

// arc_log returns what was logged since arc_clear_log, lines that end in a line
// feed. No more is kept than the first 16 KiB.
const char *arc_log(arc_doc *doc);
void arc_clear_log(arc_doc *doc);

#endif
