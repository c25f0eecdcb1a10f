//go:build !purego

package block

var nodeKernels = []NodeKernel{
	{Name: "node_x4_shani", Lanes: 4, hash: node_x4_shani, Supported: hasSHANI},
	{Name: "node_x2_shani", Lanes: 2, hash: node_x2_shani, Supported: hasSHANI},
	{Name: "node_x1_shani", Lanes: 1, hash: node_x1_shani, Supported: hasSHANI},
}
