package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/moby/sys/atomicwriter"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The charts are for pages of any colour: their background is transparent, and
// all of their colours have contrast with white and with black.
var (
	ink  = color.RGBA{0x7d, 0x85, 0x90, 0xff}
	red  = color.RGBA{0xd8, 0x4a, 0x5a, 0xff}
	blue = color.RGBA{0x2f, 0x81, 0xe0, 0xff}
	// others are for what styles does not know.
	others = []color.Color{
		color.RGBA{0x12, 0xa2, 0xb5, 0xff},
		color.RGBA{0xe0, 0x7b, 0x1a, 0xff},
		color.RGBA{0x8f, 0x96, 0x1f, 0xff},
		color.RGBA{0xd0, 0x62, 0xb0, 0xff},
	}
	// isas are the colours of kernels; how many lanes they have shows in the
	// dashes.
	isas = map[string]color.Color{
		"shani":  blue,
		"sha2":   blue,
		"avx512": color.RGBA{0xe0, 0x7b, 0x1a, 0xff},
		"avx2":   color.RGBA{0x2e, 0xa0, 0x5c, 0xff},
		"avx":    color.RGBA{0x97, 0x6b, 0xd6, 0xff},
		"ssse3":  color.RGBA{0xa8, 0x74, 0x4f, 0xff},
		"neon":   color.RGBA{0x2e, 0xa0, 0x5c, 0xff},

		"avx512shani": color.RGBA{0x12, 0xa2, 0xb5, 0xff},
	}
)

// lineStyle returns the style of the line of an impl, the i-th of its chart.
func lineStyle(name string, i int) draw.LineStyle {
	style := draw.LineStyle{Color: others[i%len(others)], Width: 2}
	lanes, isa, _ := strings.Cut(name, "_")
	switch {
	case strings.HasPrefix(name, "SumMany, even"), name == "SumMany":
		style.Color, style.Width = red, 3
	case strings.HasPrefix(name, "crypto"):
		style.Color, style.Dashes = ink, []vg.Length{6, 4}
	case isas[isa] != nil:
		style.Color = isas[isa]
		switch lanes {
		case "x1":
			style.Dashes = []vg.Length{1, 3}
		case "x2", "x16":
			style.Dashes = []vg.Length{8, 3}
		}
	}
	return style
}

// A chart has the speeds of rows, by the number in which these differ.
type chart struct {
	// file is how its file's name goes on after the machine's.
	file, title, x string
	rows           []row
	at             func(r row) int
	scale          func(p *plot.Plot)
}

func charts() []chart {
	return []chart{
		lanesChart(4 << 10),
		lanesChart(64 << 10),
		{
			"length", "64 messages", "length of each message",
			byLength().rows, func(r row) int { return r.bytes / r.digests },
			func(p *plot.Plot) {
				p.X.Scale = plot.LogScale{}
				p.X.Tick.Marker = ticks(16, 64, 256, 1<<10, 4<<10, 16<<10, 64<<10, 256<<10, 1<<20)
			},
		},
		{
			"rfc6962", "Trees of RFC 6962, leaves of 250 bytes", "leaves",
			rfc6962Rows(), func(r row) int { return r.bytes / 250 },
			func(p *plot.Plot) {
				p.X.Scale = plot.LogScale{}
				p.X.Tick.Marker = ticks(1, 4, 16, 64, 250, 1000, 4000, 16_000)
			},
		},
		{
			"far", "Lists of messages of 16 KiB", "bytes in the list",
			byListSize().rows, func(r row) int { return r.bytes },
			func(p *plot.Plot) {
				p.X.Scale = plot.LogScale{}
				p.X.Tick.Marker = ticks(64<<10, 256<<10, 1<<20, 4<<20, 16<<20, 64<<20, 256<<20, 1<<30)
			},
		},
		{
			"unequal", "Lists of 400,000 bytes", "lengths lie so far from the mean at most, in per cent of it",
			bySpread().rows, percentOf,
			func(p *plot.Plot) { p.X.Tick.Marker = ticks(0, 10, 20, 30, 40, 50, 60, 70, 80, 90) },
		},
	}
}

// percentOf returns how far the lengths of a row of bySpread lie from their mean.
func percentOf(r row) int {
	var percent int
	if _, err := fmt.Sscanf(r.load, "percent=%d", &percent); err != nil {
		panic(err)
	}
	return percent
}

// lanesChart has speeds by the number of messages of a size.
func lanesChart(size int) chart {
	return chart{
		"lanes-" + unit(size), fmt.Sprintf("Messages of %d KiB", size>>10), "messages side by side",
		kernelRows(size), func(r row) int { return r.digests },
		func(p *plot.Plot) { p.X.Tick.Marker = ticks(1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40) },
	}
}

// draw draws the charts whose rows are there, into files whose names begin with
// prefix.
func (rep *report) draw(prefix string) error {
	for _, c := range charts() {
		lines := rep.lines(c.rows, c.at)
		if lines == nil {
			continue
		}
		p := newPlot(c.title+", one core of "+rep.Machine.title(), c.x)
		c.scale(p)
		file := prefix + "-" + c.file + ".svg"
		legend, err := addLines(p, lines)
		if err == nil {
			err = savePlot(p, legend, file)
		}
		if err != nil {
			return fmt.Errorf("draw %s: %w", file, err)
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
func (rep *report) lines(rows []row, at func(row) int) []line {
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
			lines[i].points = append(lines[i].points, plotter.XY{X: float64(at(r)), Y: float64(res.Bytes) / im.best(r.byCPU)})
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
	} {
		setText(t.style, t.size)
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color = ink
		a.Tick.Color = ink
	}
	grid := plotter.NewGrid()
	for _, s := range []*draw.LineStyle{&grid.Horizontal, &grid.Vertical} {
		s.Color = color.NRGBA{ink.R, ink.G, ink.B, 0x40}
	}
	p.Add(grid)
	return p
}

func setText(style *text.Style, size vg.Length) {
	style.Color = ink
	style.Font.Variant = "Sans"
	style.Font.Size = size
}

// addLines puts the lines on p, and returns a legend that lists them by the
// height of their right ends, the highest first.
func addLines(p *plot.Plot, lines []line) (plot.Legend, error) {
	legend := plot.NewLegend()
	setText(&legend.TextStyle, 11)
	legend.Top, legend.Left = true, true
	legend.Padding = 5
	legend.ThumbnailWidth = 24
	drawn := make(map[string]*plotter.Line)
	for i, l := range lines {
		pl, err := plotter.NewLine(l.points)
		if err != nil {
			return legend, err
		}
		pl.LineStyle = lineStyle(l.name, i)
		p.Add(pl)
		drawn[l.name] = pl
	}
	p.Y.Min = 0
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Compare(b.points[len(b.points)-1].Y, a.points[len(a.points)-1].Y)
	})
	for _, l := range lines {
		legend.Add(l.name, drawn[l.name])
	}
	return legend, nil
}

// ticks marks these values on an axis, numbers of bytes or less.
func ticks(values ...int) plot.ConstantTicks {
	marks := make(plot.ConstantTicks, len(values))
	for i, v := range values {
		marks[i] = plot.Tick{Value: float64(v), Label: unit(v)}
	}
	return marks
}

func savePlot(p *plot.Plot, legend plot.Legend, file string) error {
	const width, height, legendWidth = 790, 430, 138
	c := vgsvg.New(width, height)
	whole := draw.New(c)
	p.Draw(draw.Crop(whole, 0, -legendWidth, 0, 0))
	legend.Draw(draw.Crop(whole, width-legendWidth+12, 0, 0, -24))
	var svg bytes.Buffer
	if _, err := c.WriteTo(&svg); err != nil {
		return err
	}
	// What its reader may have instead of the font that it was laid out with.
	const font = "font-family:Liberation Sans"
	out := bytes.ReplaceAll(svg.Bytes(), []byte(font), []byte(font+",Arial,Helvetica,sans-serif"))
	return atomicwriter.WriteFile(file, out, 0o644)
}
