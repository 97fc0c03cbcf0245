-- What the scripts of presence have in common; it stands before each of them.
--
-- nodes          sorted set: node -> when it was last heard of, in ms
-- node:<node>    set: users with sockets on that node
-- user:<user>    hash: <node> -> 1 for each node with sockets, beat -> until when a sign of life holds, wish -> status
-- wished:<user>  status that was wished for lately, which is newer than what an arrival says
-- beats          sorted set: user -> until when its sign of life holds
-- told           hash: user -> status that was told last, without those who are offline
-- version        how many times something was told
--
-- Telling happens in the script that changes something, so all nodes hear it once and in one order.

local prefix = KEYS[1]
local channel = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local changes = {}

local function status_of(user)
  local fields = redis.call('HGETALL', prefix .. 'user:' .. user)
  local live, wish = false, 'online'
  for i = 1, #fields, 2 do
    if fields[i] == 'wish' then
      wish = fields[i + 1]
    elseif fields[i] == 'beat' then
      live = live or tonumber(fields[i + 1]) > now
    else
      live = true
    end
  end
  return live and wish or 'offline', live
end

-- Takes what a node has read of a user's wish. What was wished for lately, or while the user was there by another way, is newer.
local function welcome(user, read)
  local wish = redis.call('GET', prefix .. 'wished:' .. user) or read
  redis.call('HSETNX', prefix .. 'user:' .. user, 'wish', wish)
end

-- Notes what a user is now; it is told with the others when the script ends.
local function settle(user)
  local status, live = status_of(user)
  if not live then redis.call('DEL', prefix .. 'user:' .. user) end
  local told = redis.call('HGET', prefix .. 'told', user) or 'offline'
  if status == told then return end
  if status == 'offline' then
    redis.call('HDEL', prefix .. 'told', user)
  else
    redis.call('HSET', prefix .. 'told', user, status)
  end
  changes[#changes + 1] = user .. ' ' .. status
end

local function tell()
  if #changes == 0 then return end
  local version = redis.call('INCR', prefix .. 'version')
  redis.call('PUBLISH', channel, version .. '\n' .. table.concat(changes, '\n'))
end
