-- A node that stops in order: its users have a moment to come back elsewhere, then it counts as dead.
-- ARGV: channel, node, ms after which a node counts as dead, ms of grace

local node, dead_after, grace = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('ZADD', prefix .. 'nodes', 'XX', now - dead_after + grace, node)
