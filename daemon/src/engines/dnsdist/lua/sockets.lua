-- Which socket families the machine supports.
local ffi = require("ffi")
pcall(ffi.cdef, "int socket(int domain, int type, int protocol); int close(int fd);")

local sockets = {}

-- Without IPv6 in the kernel, a listener on an IPv6 address would prevent the start.
function sockets.hasIpv6()
  local fd = ffi.C.socket(10, 2, 0)
  if fd < 0 then return false end
  ffi.C.close(fd)
  return true
end

return sockets
