// What shim.c uses of MuPDF 1.24.9, declared here because the headers that
// go-fitz carries cannot be found from another package. A test holds this file
// against those headers, with ARC_MUPDF_HEADERS defined: then the types come from
// them, and a function that differs does not compile.

#ifndef ARC_MUPDF_H
#define ARC_MUPDF_H

#include <setjmp.h>
#include <stddef.h>

#define ARC_MUPDF_VERSION "1.24.9"

#ifndef ARC_MUPDF_HEADERS

typedef struct fz_context fz_context;
typedef struct fz_document fz_document;
typedef struct fz_document_handler fz_document_handler;
typedef struct fz_page fz_page;
typedef struct fz_device fz_device;
typedef struct fz_stream fz_stream;
typedef struct fz_buffer fz_buffer;
typedef struct fz_pixmap fz_pixmap;
typedef struct fz_colorspace fz_colorspace;
typedef struct fz_separations fz_separations;
typedef struct fz_locks_context fz_locks_context;
typedef struct fz_pool fz_pool;
typedef struct fz_stext_line fz_stext_line;
typedef struct fz_image fz_image;

typedef struct { float x0, y0, x1, y1; } fz_rect;
typedef struct { int x0, y0, x1, y1; } fz_irect;
typedef struct { float a, b, c, d, e, f; } fz_matrix;

typedef struct {
	void *user;
	void *(*malloc)(void *, size_t);
	void *(*realloc)(void *, void *, size_t);
	void (*free)(void *, void *);
} fz_alloc_context;

typedef struct {
	int abort, progress;
	size_t progress_max;
	int errors, incomplete;
} fz_cookie;

typedef struct {
	int flags;
	float scale;
} fz_stext_options;

typedef struct fz_stext_block fz_stext_block;

typedef struct {
	fz_pool *pool;
	fz_rect mediabox;
	fz_stext_block *first_block, *last_block;
} fz_stext_page;

struct fz_stext_block {
	int type;
	fz_rect bbox;
	union {
		struct { fz_stext_line *first_line, *last_line; } t;
		struct { fz_matrix transform; fz_image *image; } i;
	} u;
	fz_stext_block *prev, *next;
};

typedef void (fz_error_cb)(void *user, const char *message);
typedef void (fz_warning_cb)(void *user, const char *message);

typedef enum { FZ_MEDIA_BOX } fz_box_type;
enum { FZ_STEXT_BLOCK_TEXT = 0 };

#if defined(__unix__) || defined(__APPLE__)
#define fz_setjmp(BUF) sigsetjmp(BUF, 0)
typedef sigjmp_buf fz_jmp_buf;
#else
#define fz_setjmp(BUF) setjmp(BUF)
typedef jmp_buf fz_jmp_buf;
#endif

#define fz_try(ctx) if (!fz_setjmp(*fz_push_try(ctx))) if (fz_do_try(ctx)) do
#define fz_always(ctx) while (0); if (fz_do_always(ctx)) do
#define fz_catch(ctx) while (0); if (fz_do_catch(ctx))
#define fz_var(var) fz_var_imp((void *)&(var))

#endif

fz_context *fz_new_context_imp(const fz_alloc_context *alloc, const fz_locks_context *locks, size_t max_store, const char *version);
void fz_drop_context(fz_context *ctx);
fz_jmp_buf *fz_push_try(fz_context *ctx);
int fz_do_try(fz_context *ctx);
int fz_do_always(fz_context *ctx);
int (fz_do_catch)(fz_context *ctx);
void fz_var_imp(void *var);
void fz_rethrow(fz_context *ctx) __attribute__((noreturn));
void fz_ignore_error(fz_context *ctx);
const char *fz_caught_message(fz_context *ctx);
void fz_warn(fz_context *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fz_flush_warnings(fz_context *ctx);
void fz_disable_icc(fz_context *ctx);
void fz_set_error_callback(fz_context *ctx, fz_error_cb *callback, void *user);
void fz_set_warning_callback(fz_context *ctx, fz_warning_cb *callback, void *user);

#ifndef ARC_MUPDF_HEADERS
typedef struct fz_font fz_font;
typedef fz_font *(fz_load_system_font_fn)(fz_context *ctx, const char *name, int bold, int italic, int needs_exact_metrics);
typedef fz_font *(fz_load_system_cjk_font_fn)(fz_context *ctx, const char *name, int ordering, int serif);
typedef fz_font *(fz_load_system_fallback_font_fn)(fz_context *ctx, int script, int language, int serif, int bold, int italic);
#endif
void fz_install_load_system_font_funcs(fz_context *ctx, fz_load_system_font_fn *f, fz_load_system_cjk_font_fn *f_cjk, fz_load_system_fallback_font_fn *f_fallback);
fz_font *fz_new_base14_font(fz_context *ctx, const char *name);

extern fz_document_handler pdf_document_handler;
// go-fitz carries no header for what begins with pdf_.
typedef struct pdf_document pdf_document;
pdf_document *pdf_specifics(fz_context *ctx, fz_document *doc);
void pdf_clear_xref(fz_context *ctx, pdf_document *doc);
void fz_register_document_handler(fz_context *ctx, const fz_document_handler *handler);
fz_stream *fz_open_file(fz_context *ctx, const char *filename);
void fz_drop_stream(fz_context *ctx, fz_stream *stream);
fz_document *fz_open_document_with_stream(fz_context *ctx, const char *magic, fz_stream *stream);
void fz_drop_document(fz_context *ctx, fz_document *doc);
int fz_needs_password(fz_context *ctx, fz_document *doc);
int fz_authenticate_password(fz_context *ctx, fz_document *doc, const char *password);
int fz_count_pages(fz_context *ctx, fz_document *doc);
int fz_lookup_metadata(fz_context *ctx, fz_document *doc, const char *key, char *buf, int size);

fz_page *fz_load_page(fz_context *ctx, fz_document *doc, int number);
void fz_drop_page(fz_context *ctx, fz_page *page);
fz_rect fz_bound_page(fz_context *ctx, fz_page *page);
fz_rect fz_bound_page_box(fz_context *ctx, fz_page *page, fz_box_type box);
void fz_run_page(fz_context *ctx, fz_page *page, fz_device *dev, fz_matrix transform, fz_cookie *cookie);
const char *fz_page_label(fz_context *ctx, fz_page *page, char *buf, int size);

typedef struct pdf_obj pdf_obj;
pdf_obj *pdf_trailer(fz_context *ctx, pdf_document *doc);
pdf_obj *pdf_dict_getp(fz_context *ctx, pdf_obj *dict, const char *path);
pdf_obj *pdf_dict_gets(fz_context *ctx, pdf_obj *dict, const char *key);
pdf_obj *pdf_array_get(fz_context *ctx, pdf_obj *array, int i);
int pdf_array_len(fz_context *ctx, pdf_obj *array);
int pdf_to_int(fz_context *ctx, pdf_obj *obj);

void fz_close_device(fz_context *ctx, fz_device *dev);
void fz_drop_device(fz_context *ctx, fz_device *dev);

fz_stext_page *fz_new_stext_page(fz_context *ctx, fz_rect mediabox);
void fz_drop_stext_page(fz_context *ctx, fz_stext_page *page);
fz_device *fz_new_stext_device(fz_context *ctx, fz_stext_page *page, const fz_stext_options *options);
fz_buffer *fz_new_buffer_from_stext_page(fz_context *ctx, fz_stext_page *text);
size_t fz_buffer_storage(fz_context *ctx, fz_buffer *buf, unsigned char **data);
void fz_drop_buffer(fz_context *ctx, fz_buffer *buf);

fz_colorspace *fz_device_gray(fz_context *ctx);
fz_pixmap *fz_new_pixmap_with_bbox(fz_context *ctx, fz_colorspace *space, fz_irect bbox, fz_separations *seps, int alpha);
void fz_clear_pixmap_with_value(fz_context *ctx, fz_pixmap *pix, int value);
fz_device *fz_new_draw_device(fz_context *ctx, fz_matrix transform, fz_pixmap *dest);
int fz_pixmap_width(fz_context *ctx, const fz_pixmap *pix);
int fz_pixmap_height(fz_context *ctx, const fz_pixmap *pix);
int fz_pixmap_stride(fz_context *ctx, const fz_pixmap *pix);
unsigned char *fz_pixmap_samples(fz_context *ctx, const fz_pixmap *pix);
void fz_drop_pixmap(fz_context *ctx, fz_pixmap *pix);

#endif
