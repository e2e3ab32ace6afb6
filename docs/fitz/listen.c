//go:build cgo && !nocgo && !extlib

#include "listen.h"

#include <stdlib.h>
#include <string.h>

// An ear is what stands before the text device.
typedef struct {
	fz_device device; // as it was, for its functions
	int masked;       // a field for a password speaks
} ear;

// dingbats are the signs of ZapfDingbats by the number in a glyph's name, a1 to a206.
static const unsigned short dingbats[] = {
	0, 0x2701, 0x2702, 0x2704, 0x260e, 0x2706, 0x271d, 0x271e, 0x271f, 0x2720,
	0x2721, 0x261b, 0x261e, 0x270c, 0x270d, 0x270e, 0x270f, 0x2711, 0x2712, 0x2713,
	0x2714, 0x2715, 0x2716, 0x2717, 0x2718, 0x2719, 0x271a, 0x271b, 0x271c, 0x2722,
	0x2723, 0x2724, 0x2725, 0x2726, 0x2727, 0x2605, 0x2729, 0x272a, 0x272b, 0x272c,
	0x272d, 0x272e, 0x272f, 0x2730, 0x2731, 0x2732, 0x2733, 0x2734, 0x2735, 0x2736,
	0x2737, 0x2738, 0x2739, 0x273a, 0x273b, 0x273c, 0x273d, 0x273e, 0x273f, 0x2740,
	0x2741, 0x2742, 0x2743, 0x2744, 0x2745, 0x2746, 0x2747, 0x2748, 0x2749, 0x274a,
	0x274b, 0x25cf, 0x274d, 0x25a0, 0x274f, 0x2751, 0x25b2, 0x25bc, 0x25c6, 0x2756,
	0, 0x25d7, 0x2758, 0x2759, 0x275a, 0x276f, 0x2771, 0x2772, 0x2773, 0x2768,
	0x2769, 0x276c, 0x276d, 0x276a, 0x276b, 0x2774, 0x2775, 0x275b, 0x275c, 0x275d,
	0x275e, 0x2761, 0x2762, 0x2763, 0x2764, 0x2710, 0x2765, 0x2766, 0x2767, 0x2660,
	0x2665, 0x2666, 0x2663, 0, 0, 0, 0, 0x2709, 0x2708, 0x2707,
	0x2460, 0x2461, 0x2462, 0x2463, 0x2464, 0x2465, 0x2466, 0x2467, 0x2468, 0x2469,
	0x2776, 0x2777, 0x2778, 0x2779, 0x277a, 0x277b, 0x277c, 0x277d, 0x277e, 0x277f,
	0x2780, 0x2781, 0x2782, 0x2783, 0x2784, 0x2785, 0x2786, 0x2787, 0x2788, 0x2789,
	0x278a, 0x278b, 0x278c, 0x278d, 0x278e, 0x278f, 0x2790, 0x2791, 0x2792, 0x2793,
	0x2794, 0x2192, 0x27a3, 0x2194, 0x2195, 0x2799, 0x279b, 0x279c, 0x279d, 0x279e,
	0x279f, 0x27a0, 0x27a1, 0x27a2, 0x27a4, 0x27a5, 0x27a6, 0x27a7, 0x27a8, 0x27a9,
	0x27ab, 0x27ad, 0x27af, 0x27b2, 0x27b3, 0x27b5, 0x27b8, 0x27ba, 0x27bb, 0x27bc,
	0x27bd, 0x27be, 0x279a, 0x27aa, 0x27b6, 0x27b9, 0x2798, 0x27b4, 0x27b7, 0x27ac,
	0x27ae, 0x27b1, 0x2703, 0x2750, 0x2752, 0x276e, 0x2770,
};

// has_dingbats says whether a font is ZapfDingbats, by that name or that of its
// double, which is the library's own.
static int has_dingbats(fz_context *ctx, fz_font *font) {
	const char *name = font ? fz_font_name(ctx, font) : NULL;
	return name && (strstr(name, "Dingbats") || strstr(name, "D050000L"));
}

// dingbat is the sign that a glyph shows, or 0.
static int dingbat(fz_context *ctx, fz_font *font, int glyph) {
	char name[32], *end;
	if (glyph < 0)
		return 0;
	fz_get_glyph_name(ctx, font, glyph, name, sizeof name);
	if (name[0] != 'a' || name[1] < '1' || name[1] > '9')
		return 0;
	long n = strtol(name + 1, &end, 10);
	return *end || n >= (long)(sizeof dingbats / sizeof *dingbats) ? 0 : dingbats[n];
}

// is_sign says whether what a file says a letter of ZapfDingbats means can be so. If
// it says nothing, MuPDF takes the number in the glyph's name for the meaning.
static int is_sign(int c) { return c >= 0x2000 && c != 0xfffd && (c < 0xe000 || c > 0xf8ff); }

static void hear(fz_context *ctx, const ear *e, const fz_text *text) {
	for (fz_text_span *s = text->head; s; s = s->next) {
		int signs = has_dingbats(ctx, s->font);
		for (int i = 0; i < s->len && (signs || e->masked); i++) {
			fz_text_item *t = &s->items[i];
			int c = e->masked ? '*' : is_sign(t->ucs) ? 0 : dingbat(ctx, s->font, t->gid);
			if (c && t->ucs >= 0)
				t->ucs = c;
		}
	}
}

static void fill_text(fz_context *ctx, fz_device *dev, const fz_text *text, fz_matrix m, fz_colorspace *space, const float *colour, float alpha, fz_color_params params) {
	const ear *e = fz_user_context(ctx);
	hear(ctx, e, text);
	e->device.fill_text(ctx, dev, text, m, space, colour, alpha, params);
}

static void stroke_text(fz_context *ctx, fz_device *dev, const fz_text *text, const fz_stroke_state *stroke, fz_matrix m, fz_colorspace *space, const float *colour, float alpha, fz_color_params params) {
	const ear *e = fz_user_context(ctx);
	hear(ctx, e, text);
	e->device.stroke_text(ctx, dev, text, stroke, m, space, colour, alpha, params);
}

static void clip_text(fz_context *ctx, fz_device *dev, const fz_text *text, fz_matrix m, fz_rect scissor) {
	const ear *e = fz_user_context(ctx);
	hear(ctx, e, text);
	e->device.clip_text(ctx, dev, text, m, scissor);
}

static void clip_stroke_text(fz_context *ctx, fz_device *dev, const fz_text *text, const fz_stroke_state *stroke, fz_matrix m, fz_rect scissor) {
	const ear *e = fz_user_context(ctx);
	hear(ctx, e, text);
	e->device.clip_stroke_text(ctx, dev, text, stroke, m, scissor);
}

static void ignore_text(fz_context *ctx, fz_device *dev, const fz_text *text, fz_matrix m) {
	const ear *e = fz_user_context(ctx);
	hear(ctx, e, text);
	e->device.ignore_text(ctx, dev, text, m);
}

// listen puts e before dev.
static void listen(fz_context *ctx, fz_device *dev, ear *e) {
	e->device = *dev;
	fz_set_user_context(ctx, e);
	if (dev->fill_text)
		dev->fill_text = fill_text;
	if (dev->stroke_text)
		dev->stroke_text = stroke_text;
	if (dev->clip_text)
		dev->clip_text = clip_text;
	if (dev->clip_stroke_text)
		dev->clip_stroke_text = clip_stroke_text;
	if (dev->ignore_text)
		dev->ignore_text = ignore_text;
}

// Fields.

enum { field_password = 1 << 13 };

static int is_secret(fz_context *ctx, pdf_annot *field) { return pdf_annot_field_flags(ctx, field) & field_password; }

static int has_secrets(fz_context *ctx, pdf_page *page) {
	for (pdf_annot *f = pdf_first_widget(ctx, page); f; f = pdf_next_widget(ctx, f))
		if (is_secret(ctx, f))
			return 1;
	return 0;
}

static const fz_matrix identity = {1, 0, 0, 1, 0, 0};

void arc_run(fz_context *ctx, fz_page *page, fz_device *dev, fz_cookie *cookie) {
	pdf_page *p = pdf_page_from_fz_page(ctx, page);
	ear e = {0};
	listen(ctx, dev, &e);
	if (!has_secrets(ctx, p)) {
		fz_run_page(ctx, page, dev, identity, cookie);
		return;
	}
	fz_run_page_contents(ctx, page, dev, identity, cookie);
	fz_run_page_annots(ctx, page, dev, identity, cookie);
	for (pdf_annot *f = pdf_first_widget(ctx, p); f && !cookie->abort; f = pdf_next_widget(ctx, f)) {
		e.masked = is_secret(ctx, f);
		// What a file says that letters stand for would be heard past them.
		dev->begin_metatext = e.masked ? NULL : e.device.begin_metatext;
		dev->end_metatext = e.masked ? NULL : e.device.end_metatext;
		pdf_run_annot(ctx, f, dev, identity, cookie);
	}
}

// Notes.

enum {
	annot_hidden = 1 << 1,
	max_notes = 64 << 10 // of a page, in bytes
};

// is_note says whether what an annotation says is not drawn on the page.
static int is_note(fz_context *ctx, pdf_obj *annot) {
	static const char *const kinds[] = {"Text", "Highlight", "Underline", "Squiggly", "StrikeOut", "Caret"};
	const char *kind = pdf_to_name(ctx, pdf_dict_gets(ctx, annot, "Subtype"));
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kind, kinds[i]))
			return !(pdf_to_int(ctx, pdf_dict_gets(ctx, annot, "F")) & annot_hidden);
	return 0;
}

int arc_notes(fz_context *ctx, fz_page *page, fz_buffer *out) {
	size_t left = max_notes;
	for (pdf_annot *a = pdf_first_annot(ctx, pdf_page_from_fz_page(ctx, page)); a; a = pdf_next_annot(ctx, a)) {
		pdf_obj *annot = pdf_annot_obj(ctx, a);
		if (!is_note(ctx, annot))
			continue;
		const char *said = pdf_to_text_string(ctx, pdf_dict_gets(ctx, annot, "Contents"));
		size_t n = strlen(said);
		if (!said[strspn(said, " \t\r\n")])
			continue;
		if (n > left)
			return 0;
		left -= n;
		fz_append_string(ctx, out, "[note] ");
		fz_append_string(ctx, out, said);
		fz_append_string(ctx, out, "\n\n");
	}
	return 1;
}

// Outside.

static int is_outside(fz_quad q, fz_rect r) {
	return (q.ul.x < r.x0 && q.ur.x < r.x0 && q.ll.x < r.x0 && q.lr.x < r.x0) ||
	       (q.ul.x > r.x1 && q.ur.x > r.x1 && q.ll.x > r.x1 && q.lr.x > r.x1) ||
	       (q.ul.y < r.y0 && q.ur.y < r.y0 && q.ll.y < r.y0 && q.lr.y < r.y0) ||
	       (q.ul.y > r.y1 && q.ur.y > r.y1 && q.ll.y > r.y1 && q.lr.y > r.y1);
}

int arc_outside(const fz_stext_page *text, fz_rect shown) {
	for (const fz_stext_block *b = text->first_block; b; b = b->next) {
		if (b->type != FZ_STEXT_BLOCK_TEXT)
			continue;
		for (const fz_stext_line *l = b->u.t.first_line; l; l = l->next)
			for (const fz_stext_char *c = l->first_char; c; c = c->next)
				if (c->c > ' ' && c->c != 0xa0 && is_outside(c->quad, shown))
					return 1;
	}
	return 0;
}
