-- How a user wants to be seen.
-- ARGV: channel, user, status

local user, status = ARGV[2], ARGV[3]
if redis.call('EXISTS', prefix .. 'user:' .. user) == 1 then
  redis.call('HSET', prefix .. 'user:' .. user, 'wish', status)
  settle(user)
  tell()
end
