-- A node says that it lives, and tidies up after those that died and after signs of life that ran out.
-- ARGV: channel, node, ms after which a node counts as dead, how many users to tidy up at most
-- Returns whether the node was known (1 or 0), whether there is more to tidy up, and the version.

local node, dead_after, limit = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local known = redis.call('ZSCORE', prefix .. 'nodes', node)
redis.call('ZADD', prefix .. 'nodes', now, node)

local left = limit
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'nodes', '-inf', now - dead_after)) do
  local users = left > 0 and redis.call('SPOP', prefix .. 'node:' .. dead, left) or {}
  for _, user in ipairs(users) do
    redis.call('HDEL', prefix .. 'user:' .. user, dead)
    settle(user)
  end
  left = left - #users
  if redis.call('EXISTS', prefix .. 'node:' .. dead) == 0 then redis.call('ZREM', prefix .. 'nodes', dead) end
end

for _, user in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'beats', '-inf', now, 'LIMIT', 0, limit)) do
  redis.call('ZREM', prefix .. 'beats', user)
  settle(user)
  left = left - 1
end

tell()
return { known and 1 or 0, left <= 0 and 1 or 0, tonumber(redis.call('GET', prefix .. 'version') or 0) }
