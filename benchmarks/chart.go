package main

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The charts stand on pages of any colour: their background is transparent, and
// all of their colours have contrast with white and with black.
var (
	ink     = color.RGBA{0x7d, 0x85, 0x90, 0xff}
	palette = []color.RGBA{
		{0x2f, 0x81, 0xe0, 0xff},
		{0xe0, 0x7b, 0x1a, 0xff},
		{0x2e, 0xa0, 0x5c, 0xff},
		{0xd8, 0x4a, 0x5a, 0xff},
		{0x97, 0x6b, 0xd6, 0xff},
		{0xa8, 0x74, 0x4f, 0xff},
		{0x12, 0xa2, 0xb5, 0xff},
		{0xd0, 0x62, 0xb0, 0xff},
		{0x8f, 0x96, 0x1f, 0xff},
		{0x5b, 0x7d, 0x9a, 0xff},
	}
)

// draw draws the charts in dir, those whose rows are there.
func (rep *report) draw(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("draw charts: %w", err)
	}
	for _, c := range []struct {
		file, title, x string
		rows           []row
		at             func(r row) float64
		scale          func(p *plot.Plot)
	}{
		{
			"lanes.svg", "Messages of 8 KiB, one core", "messages side by side",
			kernelRows(), func(r row) float64 { return float64(r.digests) },
			func(p *plot.Plot) { p.X.Tick.Marker = ticks(1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40) },
		},
		{
			"length.svg", "64 messages, one core", "length of each message",
			byLength().rows, func(r row) float64 { return float64(r.bytes / r.digests) },
			func(p *plot.Plot) {
				p.X.Scale = plot.LogScale{}
				p.X.Tick.Marker = ticks(16, 64, 256, 1<<10, 4<<10, 16<<10, 64<<10, 256<<10, 1<<20)
			},
		},
	} {
		lines := rep.lines(c.rows, c.at)
		if lines == nil {
			continue
		}
		p := newPlot(c.title, c.x)
		c.scale(p)
		for i, l := range lines {
			if err := addLine(p, i, l); err != nil {
				return fmt.Errorf("draw %s: %w", c.file, err)
			}
		}
		p.Y.Min = 0
		if err := savePlot(p, filepath.Join(dir, c.file)); err != nil {
			return fmt.Errorf("draw %s: %w", c.file, err)
		}
	}
	return nil
}

// A line is the speeds of an impl.
type line struct {
	name   string
	points plotter.XYs
}

// lines returns the speeds of each impl of the rows, in GB/s.
func (rep *report) lines(rows []row, at func(row) float64) []line {
	var lines []line
	index := make(map[string]int)
	for _, r := range rows {
		res, ok := rep.find(r.name())
		if !ok {
			continue
		}
		for _, im := range res.Impls {
			i, ok := index[im.Name]
			if !ok {
				i = len(lines)
				index[im.Name] = i
				lines = append(lines, line{name: im.Name})
			}
			lines[i].points = append(lines[i].points, plotter.XY{X: at(r), Y: float64(res.Bytes) / im.Best})
		}
	}
	return lines
}

func newPlot(title, x string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, "GB/s"
	p.Title.Padding = 8
	for _, t := range []struct {
		style *text.Style
		size  vg.Length
	}{
		{&p.Title.TextStyle, 14},
		{&p.X.Label.TextStyle, 12},
		{&p.Y.Label.TextStyle, 12},
		{&p.X.Tick.Label, 10},
		{&p.Y.Tick.Label, 10},
		{&p.Legend.TextStyle, 11},
	} {
		t.style.Color = ink
		t.style.Font.Variant = "Sans"
		t.style.Font.Size = t.size
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color = ink
		a.Tick.Color = ink
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = 2
	p.Legend.XOffs = 8
	grid := plotter.NewGrid()
	for _, s := range []*draw.LineStyle{&grid.Horizontal, &grid.Vertical} {
		s.Color = color.NRGBA{ink.R, ink.G, ink.B, 0x40}
	}
	p.Add(grid)
	return p
}

func addLine(p *plot.Plot, i int, l line) error {
	pl, err := plotter.NewLine(l.points)
	if err != nil {
		return err
	}
	pl.Color = palette[i%len(palette)]
	pl.Width = 2
	if strings.HasPrefix(l.name, "crypto") {
		pl.Dashes = []vg.Length{5, 4}
	}
	p.Add(pl)
	p.Legend.Add(l.name, pl)
	return nil
}

// ticks marks these values on an axis, numbers of bytes or less.
func ticks(values ...int) plot.ConstantTicks {
	marks := make(plot.ConstantTicks, len(values))
	for i, v := range values {
		marks[i] = plot.Tick{Value: float64(v), Label: unit(v)}
	}
	return marks
}

func savePlot(p *plot.Plot, file string) error {
	const width, height = 720, 432
	c := vgsvg.New(width, height)
	p.Draw(draw.New(c))
	var svg bytes.Buffer
	if _, err := c.WriteTo(&svg); err != nil {
		return err
	}
	// What its reader may have instead of the font that it was laid out with.
	const font = "font-family:Liberation Sans"
	out := bytes.ReplaceAll(svg.Bytes(), []byte(font), []byte(font+",Arial,Helvetica,sans-serif"))
	return os.WriteFile(file, out, 0o666)
}
