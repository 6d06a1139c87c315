// Package relay turns alerts of Heron into work orders in Fettle, the maintenance planner that
// three of our Delta customers use. It reads the internal alert stream, not the public webhooks,
// so nothing here needs to check a signature.
package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"velmarrow.example/fettle"
	"velmarrow.example/heron"
	"velmarrow.example/spool"
)

const (
	// One burst main trips every rule downstream of it. In the first week at Brindlewick a single
	// burst made 61 work orders, and the crews stopped reading them.
	mergeWindow = 45 * time.Minute

	// Fettle cuts descriptions at 500 characters without a word; we leave room for our footer.
	maxDescription = 430

	attempts    = 4
	firstPause  = 2 * time.Second
	pauseFactor = 3

	// A work order that is older than this when it gets through only sends people to dry streets.
	stale = 6 * time.Hour
)

// priority maps Heron's grades to Fettle's. Fettle counts down: 1 wakes somebody, 5 waits for the
// next round. Grade "notice" is left out on purpose: it makes no work order.
var priority = map[heron.Grade]int{
	"alarm":   1,
	"warning": 3,
	"battery": 5,
}

// errUnplanned means that no depot covers the site; a person has to draw the boundary in Fettle.
var errUnplanned = errors.New("site lies in no depot's district")

type Relay struct {
	Fettle *fettle.Client
	Spool  *spool.Dir // what could not be delivered, one file each
	Log    *slog.Logger
	Now    func() time.Time

	open map[string]merged // by site
}

type merged struct {
	order string
	until time.Time
	rules int
}

// Handle delivers one alert. An error means that the alert was written to the spool; the stream
// may move on. It panics if the spool itself cannot be written, because losing an alert in silence
// is the one thing this program must not do.
func (r *Relay) Handle(ctx context.Context, a heron.Alert) error {
	prio, known := priority[a.Grade]
	if !known || strings.HasPrefix(a.Rule, "drill:") {
		return nil
	}
	if age := r.Now().Sub(a.Raised); age > stale {
		return r.keep(a, fmt.Errorf("raised %s ago", age.Round(time.Minute)))
	}
	if m, ok := r.open[a.Site]; ok && r.Now().Before(m.until) {
		return r.append(ctx, a, m)
	}

	depot, err := r.Fettle.DepotOf(ctx, a.Site)
	if err != nil || depot == "" {
		return r.keep(a, errors.Join(errUnplanned, err))
	}
	order := fettle.Order{
		// Fettle refuses a second order under the same reference, which makes resending safe.
		Reference:   "RW-" + a.ID,
		Site:        a.Site,
		Priority:    prio,
		Crew:        r.crew(depot, prio),
		Description: clip(a.Text, maxDescription) + footer(a),
	}
	number, err := r.deliver(ctx, order)
	if err != nil {
		return r.keep(a, err)
	}
	if r.open == nil {
		r.open = map[string]merged{}
	}
	r.open[a.Site] = merged{order: number, until: r.Now().Add(mergeWindow), rules: 1}
	return nil
}

// append adds a line to the order that is open for the site. The window is not extended: a second
// fault after three quarters of an hour deserves an order of its own.
func (r *Relay) append(ctx context.Context, a heron.Alert, m merged) error {
	m.rules++
	r.open[a.Site] = m
	if err := r.Fettle.Note(ctx, m.order, a.Text); err != nil {
		return r.keep(a, err)
	}
	// Five rules at one site are never five faults: somebody should look at the map first.
	if m.rules == 5 {
		return r.Fettle.Raise(ctx, m.order, fettle.CallPlanner)
	}
	return nil
}

// crew is the depot's day crew between 07:00 and 16:30 in the depot's own time zone, else its
// standby. Battery visits never go to standby, whatever the hour.
func (r *Relay) crew(depot string, prio int) string {
	zone, err := r.Fettle.Zone(depot)
	if err != nil {
		zone = time.UTC
		r.Log.Warn("depot without time zone", "depot", depot)
	}
	now := r.Now().In(zone)
	minutes := now.Hour()*60 + now.Minute()
	if prio == priority["battery"] || minutes >= 7*60 && minutes < 16*60+30 {
		return depot + "/day"
	}
	return depot + "/standby"
}

// deliver tries four times: at once, then after 2, 6 and 18 seconds. Refusals other than 429 are
// final, except 409, which says that the order exists and carries its number.
func (r *Relay) deliver(ctx context.Context, o fettle.Order) (string, error) {
	pause := firstPause
	var last error
	for i := 0; i < attempts; i++ {
		number, err := r.Fettle.Create(ctx, o)
		var refused *fettle.Refused
		switch {
		case err == nil:
			return number, nil
		case errors.As(err, &refused) && refused.Status == http.StatusConflict:
			return refused.Existing, nil
		case errors.As(err, &refused) && refused.Status < 500 && refused.Status != http.StatusTooManyRequests:
			return "", fmt.Errorf("refused for good: %w", err)
		}
		last = err
		if i == attempts-1 {
			break
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(pause):
			pause *= pauseFactor
		}
	}
	return "", fmt.Errorf("gave up after %d attempts: %w", attempts, last)
}

// keep spools the alert. The planners' desk in Kestholm is shown the spool on its wall screen.
func (r *Relay) keep(a heron.Alert, why error) error {
	if err := r.Spool.Write(a.ID, a, why.Error()); err != nil {
		panic(fmt.Sprintf("spool: %v (alert %s)", err, a.ID))
	}
	r.Log.Error("kept in spool", "alert", a.ID, "site", a.Site, "why", why)
	return why
}
