package pdfium

// TestCacheDir is where the tests keep the compiled module; TestMain sets it.
var TestCacheDir string
