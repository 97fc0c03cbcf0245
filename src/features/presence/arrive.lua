-- Users who have sockets on a node from now on.
-- ARGV: channel, node, then user and wish of each
-- Returns 0 when the node is not known (any more): then it has to say everything anew.

local node = ARGV[2]
if not redis.call('ZSCORE', prefix .. 'nodes', node) then return 0 end
for i = 3, #ARGV, 2 do
  local user = ARGV[i]
  redis.call('SADD', prefix .. 'node:' .. node, user)
  redis.call('HSET', prefix .. 'user:' .. user, node, 1)
  welcome(user, ARGV[i + 1])
  settle(user)
end
tell()
return 1
