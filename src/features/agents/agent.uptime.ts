/**
 * What an UPDATE of `agents` sets when a bot is seen alive, or goes offline: the time since its last sign of life counts,
 * unless it was considered offline in between. `$2` is how many seconds a sign of life is valid.
 */
export const uptime = `online_seconds = online_seconds + CASE
    WHEN last_seen_at > now() - make_interval(secs => $2) THEN extract(epoch FROM now() - last_seen_at) ELSE 0 END`;
