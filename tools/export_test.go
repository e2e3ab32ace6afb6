package tools

// SchemasOf is for tests that make types at run time.
var SchemasOf = schemasOf
