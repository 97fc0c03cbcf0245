-- A sign of life of a user, or with 0 ms the end of it.
-- ARGV: channel, user, ms and wish

local user, ms = ARGV[2], tonumber(ARGV[3])
if ms > 0 then
  redis.call('HSET', prefix .. 'user:' .. user, 'beat', now + ms)
  welcome(user, ARGV[4])
  redis.call('ZADD', prefix .. 'beats', now + ms, user)
else
  redis.call('HDEL', prefix .. 'user:' .. user, 'beat')
  redis.call('ZREM', prefix .. 'beats', user)
end
settle(user)
tell()
