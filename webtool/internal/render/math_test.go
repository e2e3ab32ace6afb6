package render

import "testing"

func TestFormulas(t *testing.T) {
	t.Parallel()
	const hidden = `<span style="display: none;"><math alttext="{\displaystyle x^2}"><semantics><mi>x</mi><annotation encoding="application/x-tex">{\displaystyle x^2}</annotation></semantics></math></span>`
	for _, c := range []struct{ name, in, want string }{
		{"hidden beside its picture it is the picture's text, once", "<p>Let <span>" + hidden + `<img src=x class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{\displaystyle x^2}"></span> be.</p>`, `Let {\displaystyle x^2} be.`},
		{"hidden beside a picture without text it is read itself", "<p>Let <span>" + hidden + `<img src=x></span> be.</p>`, `Let {\displaystyle x^2} be.`},
		{"hidden with nothing beside it is read", "<p>Let " + hidden + " be.</p>", `Let {\displaystyle x^2} be.`},
		{"beside glyphs for the eye alone it is read once", `<p><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x_1</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x1</span></span></p>`, "x_1"},
		{"in a script", `<p>So <script type="math/tex">a < b</script>.</p>`, "So $a < b$."},
		{"in a script, in a line of its own", `<p>So</p><script type="math/tex; mode=display">\sum a</script>`, "So\n\n$$\\sum a$$"},
		{"the script's glyphs are not written beside it", `<p>So <span class="MathJax_Preview">x2</span><span class="MathJax">x2</span><script type="math/tex">x^2</script>.</p>`, "So $x^2$."},
		{"a fraction", "<p><math><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac></math></p>", "(a+1)/(b)"},
		{"roots", "<p><math><msqrt><mi>x</mi><mo>+</mo><mi>y</mi></msqrt><mo>=</mo><mroot><mi>z</mi><mn>3</mn></mroot></math></p>", "sqrt(x+y)=(z)^(1/3)"},
		{"above and below", "<p><math><msup><mi>x</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup><mo>+</mo><msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup></math></p>", "x^(n+1)+a_i^2"},
		{"a name does not run into its argument", "<p><math><mi>sin</mi><mo>\u2061</mo><mi>x</mi><mi>y</mi></math></p>", "sin x y"},
		{"a matrix", "<p><math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable></math></p>", "[1, 2; 3, 4]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := text(t, c.in); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
