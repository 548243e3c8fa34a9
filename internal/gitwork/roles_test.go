package gitwork_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"holdfast/internal/gitwork"
)

// roleVariable makes the test binary do something as another process.
const roleVariable = "GITWORK_TEST_ROLE"

// roleCapture counts, captures and restores the working tree that is named, and says so.
const roleCapture = "capture"

func play(role string) int {
	if role != roleCapture {
		fmt.Fprintf(os.Stderr, "no role %q\n", role)
		return 2
	}
	if err := captureAndRestore(os.Args[1]); err != nil {
		var told *gitwork.Error
		if errors.As(err, &told) && errors.Is(err, gitwork.ErrUnreadable) {
			fmt.Println("unreadable, next:", told.Next)
		}
		fmt.Println(err)
		return 1
	}
	return 0
}

func captureAndRestore(top string) error {
	ctx := context.Background()
	git, err := gitwork.FindGit(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	captured, err := gitwork.Capture(ctx, git, top, dir, gitwork.CaptureOptions{})
	if err != nil {
		return err
	}
	risk, err := gitwork.Count(ctx, git, top)
	if err != nil {
		return err
	}
	if _, err := gitwork.Restore(ctx, git, dir, filepath.Join(dir, "new"), gitwork.RestoreOptions{}); err != nil {
		return err
	}
	fmt.Printf("staged %d untouched %v restored\n", risk.Staged, captured.Untouched())
	return nil
}
