package sqlite_test

const childPath = "SEAT_TEST_CHILD"

func child() {}
