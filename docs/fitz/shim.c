//go:build cgo && !nocgo && !extlib

#include "shim.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "listen.h"
#include "mupdf.h"

enum {
	max_log = 16 << 10,
	max_store = 64 << 20, // MuPDF's cache of fonts and images, in bytes
	max_objects = 16 << 20, // what the objects of a file may take before they are dropped, in bytes
	max_text = 256 << 20  // no text is larger; a length beyond it is a lie
};

struct arc_doc {
	fz_alloc_context alloc;
	size_t used, most;
	size_t settled; // what was used when no object was kept
	int refused; // an allocation was, since the call began
	fz_context *ctx;
	fz_document *doc;
	fz_cookie cookie;
	enum { LABELS_NEW, LABELS_GOOD, LABELS_BAD } labels;
	int log_size;
	char log[max_log + 1];
};

// Memory. Each block is preceded by its size; 16 bytes keep what follows aligned
// for anything.

enum { block_head = 16 };

static void *arc_realloc(void *user, void *old, size_t size) {
	arc_doc *d = user;
	char *block = old ? (char *)old - block_head : NULL;
	size_t had = block ? *(size_t *)block : 0;
	if (size > d->most || d->used - had > d->most - size) {
		d->refused = 1;
		return NULL;
	}
	block = realloc(block, size + block_head);
	if (!block) {
		d->refused = 1;
		return NULL;
	}
	*(size_t *)block = size;
	d->used += size - had;
	return block + block_head;
}

static void *arc_malloc(void *user, size_t size) { return arc_realloc(user, NULL, size); }

static void arc_free(void *user, void *old) {
	arc_doc *d = user;
	if (!old)
		return;
	char *block = (char *)old - block_head;
	d->used -= *(size_t *)block;
	free(block);
}

// The log.

static void arc_say(void *user, const char *message) {
	arc_doc *d = user;
	size_t n = strlen(message);
	if (n > 512)
		n = 512;
	if ((size_t)d->log_size + n + 1 > max_log)
		return;
	memcpy(d->log + d->log_size, message, n);
	d->log_size += (int)n;
	d->log[d->log_size++] = '\n';
	d->log[d->log_size] = 0;
}

const char *arc_log(arc_doc *d) {
	fz_flush_warnings(d->ctx);
	return d->log;
}

void arc_clear_log(arc_doc *d) {
	d->log_size = 0;
	d->log[0] = 0;
}

// Stopping. The host's thread writes what MuPDF's reads, so neither is torn.

void arc_stop(arc_doc *d) { __atomic_store_n(&d->cookie.abort, 1, __ATOMIC_SEQ_CST); }

void arc_start(arc_doc *d) {
	memset(&d->cookie, 0, sizeof d->cookie);
	d->refused = 0;
}

static int stopped(arc_doc *d) { return __atomic_load_n(&d->cookie.abort, __ATOMIC_SEQ_CST); }

// caught ends a catch, and says what was caught.
static arc_status caught(arc_doc *d) {
	arc_say(d, fz_caught_message(d->ctx));
	fz_ignore_error(d->ctx);
	if (stopped(d))
		return ARC_STOPPED;
	return d->refused ? ARC_MEMORY : ARC_FAILED;
}

// Fonts.

// stand_in is the font that is taken for one of East Asia which a file names and
// does not hold. The library has none; without any it takes the text for another
// encoding and makes garbage of it. Its shapes are of no account: the text comes
// from the tables of the font's collection, which the library has.
static fz_font *stand_in(fz_context *ctx, const char *name, int ordering, int serif) {
	(void)name, (void)ordering, (void)serif;
	fz_warn(ctx, "cannot find builtin CJK font"); // as MuPDF says
	return fz_new_base14_font(ctx, "Helvetica");
}

static fz_font *no_font(fz_context *ctx, const char *name, int bold, int italic, int exact) {
	(void)ctx, (void)name, (void)bold, (void)italic, (void)exact;
	return NULL;
}

static fz_font *no_fallback(fz_context *ctx, int script, int language, int serif, int bold, int italic) {
	(void)ctx, (void)script, (void)language, (void)serif, (void)bold, (void)italic;
	return NULL;
}

// The document.

int arc_fits(void) {
	fz_context *ctx = fz_new_context_imp(NULL, NULL, 0, ARC_MUPDF_VERSION);
	fz_drop_context(ctx);
	return ctx != NULL;
}

arc_status arc_open(arc_doc **doc, const char *path, const char *password, size_t most) {
	arc_doc *d = calloc(1, sizeof *d);
	*doc = d;
	if (!d)
		return ARC_MEMORY;
	d->alloc = (fz_alloc_context){.user = d, .malloc = arc_malloc, .realloc = arc_realloc, .free = arc_free};
	d->most = most;
	d->ctx = fz_new_context_imp(&d->alloc, NULL, max_store, ARC_MUPDF_VERSION);
	if (!d->ctx)
		return ARC_MEMORY;
	fz_disable_icc(d->ctx); // of a text's colour nothing is told, and ink is not grey or red
	fz_set_error_callback(d->ctx, arc_say, d);
	fz_set_warning_callback(d->ctx, arc_say, d);
	fz_install_load_system_font_funcs(d->ctx, no_font, stand_in, no_fallback);

	fz_stream *stream = NULL;
	arc_status status = ARC_OK;
	fz_var(stream);
	fz_try(d->ctx) {
		// PDF alone: without this, a picture that is called .pdf opens.
		fz_register_document_handler(d->ctx, &pdf_document_handler);
		stream = fz_open_file(d->ctx, path);
		d->doc = fz_open_document_with_stream(d->ctx, "application/pdf", stream);
		if (fz_needs_password(d->ctx, d->doc) && !fz_authenticate_password(d->ctx, d->doc, password))
			status = ARC_ENCRYPTED;
	}
	fz_always(d->ctx) fz_drop_stream(d->ctx, stream);
	fz_catch(d->ctx) return caught(d);
	return status;
}

size_t arc_close(arc_doc *d) {
	if (!d)
		return 0;
	if (d->ctx) {
		fz_drop_document(d->ctx, d->doc);
		fz_drop_context(d->ctx);
	}
	size_t kept = d->used;
	free(d);
	return kept;
}

arc_status arc_count(arc_doc *d, int *pages) {
	*pages = 0;
	fz_try(d->ctx) *pages = fz_count_pages(d->ctx, d->doc);
	fz_catch(d->ctx) return caught(d);
	return ARC_OK;
}

arc_status arc_metadata(arc_doc *d, const char *key, char *value, int size) {
	int n = -1;
	fz_var(n);
	value[0] = 0;
	fz_try(d->ctx) n = fz_lookup_metadata(d->ctx, d->doc, key, value, size);
	fz_catch(d->ctx) return caught(d);
	value[n < 0 ? 0 : size - 1] = 0;
	return ARC_OK;
}

// Pages.

// settle drops the objects that MuPDF has read, once there are many. It keeps each
// for as long as the document is open, or else, with FZ_NO_CACHE, goes through all
// numbers of the file twice for each page, which costs a quarter of the time.
static void settle(arc_doc *d) {
	if (d->used < d->settled)
		d->settled = d->used;
	if (d->used - d->settled < max_objects)
		return;
	pdf_clear_xref(d->ctx, pdf_specifics(d->ctx, d->doc));
	d->settled = d->used;
}

// Labels. MuPDF writes a Roman number a thousand at a time, from whatever number a
// file says, and looks through all ranges for each page; neither can be stopped.

enum {
	max_label = 100000,  // where a range of labels may start
	max_ranges = 10000,  // of a file
	max_label_depth = 32 // of the tree that they are in
};

// labels_fit says whether the ranges in a tree are few and their numbers sane. left
// is how many more there may be.
static int labels_fit(fz_context *ctx, pdf_obj *node, int depth, int *left) {
	pdf_obj *nums = pdf_dict_gets(ctx, node, "Nums"), *kids = pdf_dict_gets(ctx, node, "Kids");
	int n = pdf_array_len(ctx, nums), k = pdf_array_len(ctx, kids);
	if (depth == max_label_depth || n / 2 + k > *left)
		return 0;
	*left -= n / 2 + k;
	for (int i = 1; i < n; i += 2) {
		int start = pdf_to_int(ctx, pdf_dict_gets(ctx, pdf_array_get(ctx, nums, i), "St"));
		if (start < 0 || start > max_label)
			return 0;
	}
	for (int i = 0; i < k; i++)
		if (!labels_fit(ctx, pdf_array_get(ctx, kids, i), depth + 1, left))
			return 0;
	return 1;
}

// has_labels says whether the labels of the file's pages can be read. It says so in
// the log if not.
static int has_labels(arc_doc *d) {
	fz_context *ctx = d->ctx;
	int left = max_ranges;
	if (d->labels == LABELS_NEW) {
		d->labels = LABELS_BAD;
		fz_try(ctx) {
			pdf_obj *root = pdf_dict_getp(ctx, pdf_trailer(ctx, pdf_specifics(ctx, d->doc)), "Root/PageLabels");
			if (labels_fit(ctx, root, 0, &left))
				d->labels = LABELS_GOOD;
		}
		fz_catch(ctx) fz_ignore_error(ctx);
	}
	if (d->labels == LABELS_BAD)
		arc_say(d, "page labels not read");
	return d->labels == LABELS_GOOD;
}

// run_text writes the text of page to out, which is NULL until then.
static void run_text(arc_doc *d, fz_page *page, fz_buffer **out) {
	fz_context *ctx = d->ctx;
	fz_stext_page *text = NULL;
	fz_device *dev = NULL;
	// No flags. A hyphen at the end of a line stays: whether it belongs to the
	// word is for who searches, and here both are possible still. What is outside
	// what is shown of the page stays too, with a warning: all text that nobody sees is read, and
	// some files are made so carelessly that it is what they are about.
	fz_stext_options options = {.flags = 0, .scale = 1};
	fz_var(text);
	fz_var(dev);
	fz_try(ctx) {
		text = fz_new_stext_page(ctx, fz_bound_page_box(ctx, page, FZ_MEDIA_BOX));
		dev = fz_new_stext_device(ctx, text, &options);
		arc_run(ctx, page, dev, &d->cookie);
		fz_close_device(ctx, dev);
		*out = fz_new_buffer_from_stext_page(ctx, text);
		if (!arc_notes(ctx, page, *out))
			arc_say(d, "errors in the page");
		if (arc_outside(text, fz_bound_page(ctx, page)))
			arc_say(d, "text outside the page");
		if (d->cookie.errors > 0)
			arc_say(d, "errors in the page"); // MuPDF goes on behind each, or leaves out the rest
	}
	fz_always(ctx) {
		fz_drop_device(ctx, dev);
		fz_drop_stext_page(ctx, text);
	}
	fz_catch(ctx) fz_rethrow(ctx);
}

arc_status arc_page(arc_doc *d, int number, arc_text *text, char *label, int size) {
	fz_context *ctx = d->ctx;
	fz_page *page = NULL;
	fz_buffer *buf = NULL;
	arc_status status = ARC_OK;
	fz_var(page);
	fz_var(buf);
	fz_var(status);
	fz_try(ctx) {
		page = fz_load_page(ctx, d->doc, number);
		fz_bound_page(ctx, page); // what a page is loaded with is read late
		if (text) {
			run_text(d, page, &buf);
			unsigned char *data = NULL;
			size_t n = fz_buffer_storage(ctx, buf, &data);
			text->data = n <= max_text ? malloc(n + 1) : NULL;
			if (text->data) {
				memcpy(text->data, data, n);
				text->size = n;
			} else {
				status = ARC_MEMORY;
			}
		}
		if (label)
			label[0] = 0;
		if (label && has_labels(d)) {
			fz_page_label(ctx, page, label, size);
			label[size - 1] = 0;
		}
	}
	fz_always(ctx) {
		fz_drop_buffer(ctx, buf);
		fz_drop_page(ctx, page);
	}
	fz_catch(ctx) status = caught(d);
	settle(d);
	if (stopped(d))
		status = ARC_STOPPED; // MuPDF does not throw then, it leaves out the rest
	if (text && status != ARC_OK)
		arc_free_text(text);
	return status;
}

void arc_free_text(arc_text *text) {
	free(text->data);
	text->data = NULL;
	text->size = 0;
}

// inked is the share of dots that are not white.
static double inked(fz_context *ctx, fz_pixmap *pix) {
	int w = fz_pixmap_width(ctx, pix), h = fz_pixmap_height(ctx, pix), stride = fz_pixmap_stride(ctx, pix);
	const unsigned char *row = fz_pixmap_samples(ctx, pix);
	long dark = 0;
	if (w <= 0 || h <= 0)
		return 0;
	for (int y = 0; y < h; y++, row += stride)
		for (int x = 0; x < w; x++)
			dark += row[x] != 255;
	return (double)dark / w / h;
}

// picture is the matrix that draws a page of size box into *out.
static fz_matrix picture(fz_rect box, float dpi, int side, fz_irect *out) {
	float w = box.x1 - box.x0, h = box.y1 - box.y0, longest = w > h ? w : h;
	float scale = dpi / 72;
	if (!(longest * scale <= side)) // also where it is not a number
		scale = side / longest;
	fz_matrix m = {scale, 0, 0, scale, -box.x0 * scale, -box.y0 * scale};
	*out = (fz_irect){0, 0, (int)ceilf(w * scale), (int)ceilf(h * scale)};
	return m;
}

arc_status arc_ink(arc_doc *d, int number, float dpi, int side, double *share) {
	fz_context *ctx = d->ctx;
	fz_page *page = NULL;
	fz_pixmap *pix = NULL;
	fz_device *dev = NULL;
	arc_status status = ARC_OK;
	fz_var(page);
	fz_var(pix);
	fz_var(dev);
	fz_var(status);
	*share = 0;
	int before = d->cookie.errors;
	fz_try(ctx) {
		page = fz_load_page(ctx, d->doc, number);
		fz_irect box;
		fz_matrix m = picture(fz_bound_page(ctx, page), dpi, side, &box);
		if (box.x1 < 1 || box.y1 < 1 || box.x1 > side + 1 || box.y1 > side + 1) {
			status = ARC_FAILED; // a page without a size
		} else {
			pix = fz_new_pixmap_with_bbox(ctx, fz_device_gray(ctx), box, NULL, 0);
			fz_clear_pixmap_with_value(ctx, pix, 255);
			dev = fz_new_draw_device(ctx, m, pix);
			fz_run_page(ctx, page, dev, (fz_matrix){1, 0, 0, 1, 0, 0}, &d->cookie);
			fz_close_device(ctx, dev);
			*share = inked(ctx, pix);
			if (*share == 0 && d->cookie.errors > before)
				status = ARC_FAILED; // what was to be drawn could not be
		}
	}
	fz_always(ctx) {
		fz_drop_device(ctx, dev);
		fz_drop_pixmap(ctx, pix);
		fz_drop_page(ctx, page);
	}
	fz_catch(ctx) status = caught(d);
	settle(d);
	return stopped(d) ? ARC_STOPPED : status;
}
