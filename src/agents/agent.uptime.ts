/**
 * What an UPDATE of `agents` sets when a bot shows that it is alive, or no longer is: the time since its last sign of life
 * counts, if there was no gap in which it was taken for offline. `$2` is how many seconds a sign of life holds.
 */
export const uptime = `online_seconds = online_seconds + CASE
    WHEN last_seen_at > now() - make_interval(secs => $2) THEN extract(epoch FROM now() - last_seen_at) ELSE 0 END`;
