-- What the machine can do with sockets.
local ffi = require("ffi")
pcall(ffi.cdef, "int socket(int domain, int type, int protocol); int close(int fd);")

local sockets = {}

-- Some machines have IPv6 switched off altogether, and whoever listens there does not start.
function sockets.hasIpv6()
  local fd = ffi.C.socket(10, 2, 0)
  if fd < 0 then return false end
  ffi.C.close(fd)
  return true
end

return sockets
