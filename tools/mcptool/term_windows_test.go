package mcptool_test

func ignoreTerm() {}
