//go:build !unix

package approval_test

import (
	"errors"

	"github.com/baileyhq/bailey/approval"
)

func claimWithoutRoom(*approval.Store) error { return errors.ErrUnsupported }
