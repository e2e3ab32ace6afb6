package retain

const readFlags = 0
