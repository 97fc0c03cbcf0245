-- How a user wants to be seen.
-- ARGV: channel, user, status, for how many ms it is newer than what an arrival says

local user, status = ARGV[2], ARGV[3]
redis.call('SET', prefix .. 'wished:' .. user, status, 'PX', ARGV[4])
redis.call('HSET', prefix .. 'user:' .. user, 'wish', status)
settle(user)
tell()
