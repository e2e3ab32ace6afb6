package webtool

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool/internal/robots"
)

const (
	robotsTime  = 10 * time.Second // for a file, whatever its page may take
	robotsAge   = 24 * time.Hour   // RFC 9309, 2.4
	robotsRetry = 5 * time.Minute  // of a file that could not be read
	maxRobots   = 1000             // sites
)

// A robotsFile is what a site's robots.txt came to.
type robotsFile struct {
	rules *robots.Rules // nil: it cannot be read, which disallows all
	until time.Time
}

// A robotsKeeper reads the robots.txt of sites and keeps what they say.
type robotsKeeper struct {
	agent string
	mu    sync.Mutex
	sites map[key]robotsFile
}

// newRobots is nil unless the host wants robots.txt to be heeded.
func newRobots(o *Options) *robotsKeeper {
	if !o.Robots {
		return nil
	}
	agent, _, _ := strings.Cut(o.UserAgent, "/")
	return &robotsKeeper{agent: agent, sites: map[key]robotsFile{}}
}

// allow reports whether the site lets robots read the page that t is at.
func (k *robotsKeeper) allow(ctx context.Context, t *trip) error {
	if k == nil || t.robots {
		return nil
	}
	file, err := k.file(ctx, t)
	if err != nil {
		return err
	}
	e := &arc.Error{Code: arc.Forbidden, Detail: &FetchFailure{Reason: "robots"}}
	switch {
	case file.rules == nil:
		e.Message = "the site's robots.txt cannot be read, which forbids its pages for now; use another source."
	case !file.rules.Allows(t.now.url.RequestURI()):
		e.Message = "the site's robots.txt does not let robots read this page; use another source."
	default:
		return nil
	}
	return e
}

func (k *robotsKeeper) file(ctx context.Context, t *trip) (robotsFile, error) {
	at := *t.now.url
	at.Path, at.RawPath, at.RawQuery = "/robots.txt", "", ""
	site := key{access: t.client.access, url: at.String()}
	k.mu.Lock()
	file, ok := k.sites[site]
	k.mu.Unlock()
	if ok && time.Now().Before(file.until) {
		return file, nil
	}
	target, err := parseTarget(site.url, nil)
	if err != nil {
		return file, err
	}
	short, cancel := context.WithTimeout(ctx, robotsTime)
	defer cancel()
	a, err := (&trip{web: t.web, client: t.client, reader: t.reader, asked: target, now: target, robots: true}).run(short)
	if ctx.Err() != nil {
		return file, ctx.Err()
	}
	file = robotsFile{until: time.Now().Add(robotsAge)}
	var failure *FetchFailure
	if e := (*arc.Error)(nil); errors.As(err, &e) {
		failure, _ = e.Detail.(*FetchFailure)
	}
	switch {
	case err == nil:
		file.rules = robots.Parse(a.body.data, k.agent)
	case failure != nil && failure.Status >= 400 && failure.Status < 500:
		file.rules = robots.Parse(nil, k.agent) // there is none
	default:
		file.until = time.Now().Add(robotsRetry)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.sites) >= maxRobots {
		clear(k.sites)
	}
	k.sites[site] = file
	return file, nil
}
