package shell

// ExecWithProgress is how the tool calls Exec.
var ExecWithProgress = (*Shell).exec

// AnswerLate answers the call that a job began with as if it had been held up till now.
func (s *Shell) AnswerLate(job string) *ExecResult { return s.answer(s.findJob(job), order{}, nil) }
