package jail

import "os"

const openNonblock = 0

// syncDir does nothing: Windows can't flush a directory opened for reading.
func syncDir(*os.File) error { return nil }
