-- The kernel's monotonic clock, which no setting of the date changes. It is the one by which the daemon writes ends.
local ffi = require("ffi")

pcall(ffi.cdef, "typedef struct { long seconds, nanoseconds; } portcullis_time; int clock_gettime(int clock, portcullis_time *time);")
local CLOCK_MONOTONIC = 1
local now = ffi.new("portcullis_time")
local C = ffi.C

local monotonic = {}

-- Without a clock nothing is known to hold still: whatever has an end has ended.
function monotonic.seconds()
  if C.clock_gettime(CLOCK_MONOTONIC, now) ~= 0 then return math.huge end
  return tonumber(now.seconds)
end

return monotonic
