/* SPDX-License-Identifier: MIT */
#include "report/plot.h"

#include <math.h>

enum { LEFT = 70, TOP = 40, WIDTH = 620, HEIGHT = 340, LANE = 22, LEGEND = 18 };

/* Okabe and Ito: told apart by all, on black and on white. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",
                                      "#cc79a7", "#e69f00", "#56b4e9",
                                      "#8c6d31", "#7f7f7f"};

static const char *colour(size_t i)
{
  return colours[i % (sizeof colours / sizeof *colours)];
}

static void text_put(FILE *out, const char *text)
{
  for (; text && *text; text++)
    switch (*text) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    default:
      if ((unsigned char)*text >= ' ')
        fputc(*text, out);
    }
}

static void label(FILE *out, double x, double y, const char *anchor,
                  const char *text)
{
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  text_put(out, text);
  fputs("</text>\n", out);
}

static void line(FILE *out, double x1, double y1, double x2, double y2)
{
  fprintf(out,
          "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#808080\" "
          "stroke-opacity=\".35\"/>\n",
          x1, y1, x2, y2);
}

static void begin(FILE *out, double height, const char *title)
{
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
          "font-family=\"sans-serif\" font-size=\"12\" fill=\"#808080\">\n",
          LEFT + WIDTH + 30, height);
  label(out, LEFT, 22, "start", title);
}

/* ---- axes ---- */

typedef struct axis {
  double low, high, step;
  bool log;
} axis;

static axis axis_make(double low, double high, bool log)
{
  if (log) {
    low = floor(log10(low > 0 ? low : 1e-3));
    high = ceil(log10(high > 0 ? high : 1));
    return (axis){low, high > low ? high : low + 1, 1, true};
  }
  const double span = high > low ? high - low : 1;
  const double unit = pow(10, floor(log10(span / 5)));
  const double part = span / 5 / unit;
  const double step = unit * (part > 5 ? 10 : part > 2 ? 5 : part > 1 ? 2 : 1);
  return (axis){floor(low / step) * step, ceil(high / step) * step, step,
                false};
}

static double place(const axis *a, double value)
{
  const double at = a->log ? log10(value > 0 ? value : 1e-300) : value;
  const double part = (at - a->low) / (a->high - a->low);
  return part < 0 ? 0 : part > 1 ? 1 : part;
}

static double x_of(const axis *a, double value)
{
  return LEFT + WIDTH * place(a, value);
}

static double y_of(const axis *a, double value)
{
  return TOP + HEIGHT * (1 - place(a, value));
}

static void ticks_x(FILE *out, const axis *a, double bottom)
{
  char text[32];
  for (double v = a->low; v <= a->high + a->step / 2; v += a->step) {
    const double value = a->log ? pow(10, v) : v;
    line(out, x_of(a, value), TOP, x_of(a, value), bottom);
    snprintf(text, sizeof text, "%g", fabs(value) < a->step / 1e6 ? 0 : value);
    label(out, x_of(a, value), bottom + 16, "middle", text);
  }
}

static void ticks_y(FILE *out, const axis *a)
{
  char text[32];
  for (double v = a->low; v <= a->high + a->step / 2; v += a->step) {
    line(out, LEFT, y_of(a, v), LEFT + WIDTH, y_of(a, v));
    snprintf(text, sizeof text, "%g", fabs(v) < a->step / 1e6 ? 0 : v);
    label(out, LEFT - 6, y_of(a, v) + 4, "end", text);
  }
}

/* ---- plots ---- */

static void bounds(const aq_plot *plot, axis *x, axis *y)
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (size_t s = 0; s < plot->count; s++)
    for (size_t i = 0; i < plot->series[s].count; i++) {
      low[0] = fmin(low[0], plot->series[s].x[i]);
      high[0] = fmax(high[0], plot->series[s].x[i]);
      low[1] = fmin(low[1], plot->series[s].y[i]);
      high[1] = fmax(high[1], plot->series[s].y[i]);
    }
  if (!(low[0] <= high[0]))
    low[0] = low[1] = 0, high[0] = high[1] = 1;
  *x = axis_make(low[0], high[0], plot->log_x);
  *y = axis_make(fmin(low[1], 0), high[1], false);
}

static void series_put(FILE *out, const aq_plot *plot, size_t s, const axis *x,
                       const axis *y)
{
  const aq_plot_series *of = &plot->series[s];
  if (plot->points) {
    for (size_t i = 0; i < of->count; i++)
      fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
              x_of(x, of->x[i]), y_of(y, of->y[i]), colour(s));
    return;
  }
  fputs("<path d=\"", out);
  for (size_t i = 0; i < of->count; i++)
    fprintf(out, "%c%.1f %.1f", i ? 'L' : 'M', x_of(x, of->x[i]),
            y_of(y, of->y[i]));
  fprintf(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n",
          colour(s));
}

bool aq_plot_print(const aq_plot *plot, FILE *out)
{
  axis x, y;
  const double bottom = TOP + HEIGHT;
  bounds(plot, &x, &y);
  begin(out, bottom + 50 + LEGEND * (double)plot->count, plot->title);
  ticks_x(out, &x, bottom);
  ticks_y(out, &y);
  label(out, LEFT + WIDTH, bottom + 32, "end", plot->x_label);
  label(out, LEFT - 6, TOP - 8, "end", plot->y_label);
  for (size_t s = 0; s < plot->count; s++) {
    const double at = bottom + 48 + LEGEND * (double)s;
    series_put(out, plot, s, &x, &y);
    fprintf(out,
            "<rect x=\"%d\" y=\"%.1f\" width=\"12\" height=\"4\" "
            "fill=\"%s\"/>\n",
            LEFT, at - 6, colour(s));
    label(out, LEFT + 18, at, "start", plot->series[s].label);
  }
  fputs("</svg>\n", out);
  return !ferror(out);
}

bool aq_gantt_print(const char *title, const char *unit,
                    const char *const *lanes, size_t lane_count,
                    const aq_gantt_bar *bars, size_t count, FILE *out)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    low = fmin(low, bars[i].begin);
    high = fmax(high, bars[i].end);
  }
  const axis x = count ? axis_make(low, high, false) : axis_make(0, 1, false);
  const double bottom = TOP + LANE * (double)lane_count;
  begin(out, bottom + 40, title);
  ticks_x(out, &x, bottom);
  label(out, LEFT + WIDTH, bottom + 32, "end", unit);
  for (size_t i = 0; i < lane_count; i++)
    label(out, LEFT - 6, TOP + LANE * (double)i + 15, "end", lanes[i]);
  for (size_t i = 0; i < count; i++) {
    const double width = x_of(&x, bars[i].end) - x_of(&x, bars[i].begin);
    fprintf(out,
            "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" "
            "fill=\"%s\"><title>",
            x_of(&x, bars[i].begin), TOP + LANE * (double)bars[i].lane + 3,
            fmax(width, .2), LANE - 6, colour(bars[i].lane));
    text_put(out, bars[i].label);
    fputs("</title></rect>\n", out);
  }
  fputs("</svg>\n", out);
  return !ferror(out);
}
