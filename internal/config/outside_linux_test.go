package config

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

const mountTest = "BAILEY_CONFIG_MOUNT_TEST"

// TestCheckOutsideSeesBindMounts runs itself again where it may mount.
func TestCheckOutsideSeesBindMounts(t *testing.T) {
	if os.Getenv(mountTest) != "" {
		bindMounts(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestCheckOutsideSeesBindMounts$", "-test.v")
	cmd.Env = append(os.Environ(), mountTest+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("needs user namespaces to mount in: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func bindMounts(t *testing.T) {
	root := tree(t,
		[2]string{"ws/mounted here", ""},
		[2]string{"host/state/deep", ""},
		[2]string{"elsewhere", ""},
		[2]string{"other", ""},
	)
	at := func(name string) string { return filepath.Join(root, name) }
	folders := []string{at("ws")}
	for _, path := range []string{at("host/state/deep"), at("elsewhere")} {
		if err := CheckOutside(path, folders); err != nil {
			t.Fatalf("before anything is mounted: %v", err)
		}
	}
	bind := func(from, to string) {
		if err := syscall.Mount(at(from), at(to), "", syscall.MS_BIND, ""); err != nil {
			t.Fatalf("mount: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(at(to), syscall.MNT_DETACH) }) // or the directory can't be removed
	}
	bind("host/state", "ws/mounted here")
	if err := CheckOutside(at("host/state/deep"), folders); !errors.Is(err, ErrInside) {
		t.Errorf("a state directory that is mounted into the workspace: %v", err)
	}
	if err := CheckOutside(at("host"), folders); err != nil {
		t.Errorf("its parent is not: %v", err)
	}
	bind("ws", "elsewhere")
	if err := CheckOutside(at("elsewhere/x"), folders); !errors.Is(err, ErrInside) {
		t.Errorf("the workspace under another name: %v", err)
	}
	if err := CheckOutside(at("other/x"), folders); err != nil {
		t.Errorf("control: %v", err)
	}
}
