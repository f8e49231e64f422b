-- HAProxy takes a server for ready until it has checked it for the first time. Requests wait for that: for a tenth of
-- a second, and only after a start or a reload.
local PATIENCE = 3000 -- milliseconds, more than the timeout of a check
local PAUSE = 10

local function all_checked()
  for _, server in pairs(core.backends["service"].servers) do
    if server:get_stats()["check_status"]:find("INI", 1, true) then return false end
  end
  return true
end

core.register_action("checked", { "http-req" }, function(transaction)
  local is_over = false
  for _ = 1, PATIENCE / PAUSE do
    is_over = all_checked()
    core.msleep(PAUSE) -- after the last one, too: its result is told a moment before it takes effect
    if is_over then break end
  end
  transaction:set_var("proc.checked", true)
end)
