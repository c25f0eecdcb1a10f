package main

import (
	"os/exec"
	"runtime"
	"testing"
)

// TestSparkDriver runs the tests of spark/fleetsum.py that need no Spark.
func TestSparkDriver(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("needs Python and Linux")
	}
	if out, err := exec.Command(python, "-B", "../../spark/test_driver.py").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
