package shell

// ExecWithProgress is how the tool calls Exec.
var ExecWithProgress = (*Shell).exec
