-- Users who have no sockets on a node any more.
-- ARGV: channel, node, users

local node = ARGV[2]
for i = 3, #ARGV do
  local user = ARGV[i]
  redis.call('SREM', prefix .. 'node:' .. node, user)
  redis.call('HDEL', prefix .. 'user:' .. user, node)
  settle(user)
end
tell()
