/**
 * SQL of the `QuietSettings` of user `u` (contract §7). Pushes and mails both read them by this, so that neither disturbs
 * someone whom the other would not.
 */
export const quietOfUser = `(SELECT json_build_object(
    'isBusy', coalesce(w.status = 'dnd', false), 'timeZone', u.time_zone, 'snoozedUntil', q.snoozed_until,
    'quietHours', coalesce(q.quiet_hours, '{"isOn": false, "spans": []}'))
  FROM (SELECT u.id) AS own LEFT JOIN notification_preferences q ON q.user_id = own.id
  LEFT JOIN presence_wishes w ON w.user_id = own.id)`;
