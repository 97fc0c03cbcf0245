-- Everyone who is not offline, with the version that this is.

return { tonumber(redis.call('GET', prefix .. 'version') or 0), redis.call('HGETALL', prefix .. 'told') }
