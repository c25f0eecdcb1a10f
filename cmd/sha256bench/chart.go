package main

import (
	"bytes"
	"fmt"

	"github.com/moby/sys/atomicwriter"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of each of the chart's plots, which stand one above the other.
const (
	plotWidth  = 24 * vg.Centimeter
	plotHeight = 12 * vg.Centimeter

	legendWidth = 4 * vg.Centimeter // at the right of each
)

// writeChart draws the sweeps into a file, whole or not at all.
func (r *report) writeChart(name string) error {
	sweeps := r.sweeps()
	canvas := vgsvg.New(plotWidth, plotHeight*vg.Length(len(sweeps)))
	tiles := draw.Tiles{Cols: 1, Rows: len(sweeps)}
	for i, s := range sweeps {
		p, legend, err := r.plot(s)
		if err != nil {
			return err
		}
		tile := tiles.At(draw.New(canvas), 0, i)
		p.Draw(draw.Crop(tile, 0, -legendWidth, 0, 0))
		legend.Draw(draw.Crop(tile, tile.Size().X-legendWidth, 0, 0, -vg.Centimeter))
	}
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	return atomicwriter.WriteFile(name, svg.Bytes(), 0o644)
}

// plot returns the plot of s, and its legend.
func (r *report) plot(s sweep) (*plot.Plot, plot.Legend, error) {
	p := plot.New()
	p.Title.Text = s.title + ", " + r.machine.CPU
	p.X.Label.Text = s.first
	p.Y.Label.Text = "GB/s"
	p.Y.Min = 0
	if s.logarithmic {
		p.X.Scale = plot.LogScale{}
	}
	var ticks plot.ConstantTicks
	for _, pt := range s.points {
		if x := s.x(pt); s.logarithmic || x == 1 || x%4 == 0 || len(s.points) < 10 {
			ticks = append(ticks, plot.Tick{Value: float64(x), Label: formatSize(x)})
		}
	}
	p.X.Tick.Marker = ticks
	p.Add(plotter.NewGrid())

	legend := plot.NewLegend()
	legend.Top, legend.Left = true, true
	for i, name := range r.implementations {
		var xys plotter.XYs
		for _, pt := range s.points {
			xys = append(xys, plotter.XY{X: float64(s.x(pt)), Y: r.results[pt][i].bytesPerSecond() / 1e9})
		}
		line, points, err := plotter.NewLinePoints(xys)
		if err != nil {
			return nil, legend, fmt.Errorf("a line for %s: %w", name, err)
		}
		line.Color, points.Color = plotutil.Color(i), plotutil.Color(i)
		line.Dashes = plotutil.Dashes(i / len(plotutil.SoftColors))
		line.Width, points.Radius = vg.Points(1), vg.Points(1.5)
		points.Shape = plotutil.Shape(i / len(plotutil.SoftColors))
		if name == selected {
			line.Width = vg.Points(2.5)
		}
		p.Add(line, points)
		legend.Add(name, line, points)
	}
	if s.logarithmic && p.X.Min == p.X.Max {
		// Around a single point the axis would begin at one less, and 0 has no
		// logarithm.
		p.X.Min, p.X.Max = p.X.Min/2, p.X.Max*2
	}
	return p, legend, nil
}
