/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/plot.h"

#include <math.h>

enum {
  LEFT = 70,
  TOP = 52,
  WIDTH = 620,
  HEIGHT = 340,
  LANE = 22,
  LEGEND = 18,
  TICKS_MAX = 64
};

/* Okabe and Ito: told apart by all, on black and on white. */
static const char *const colours[AQ_PLOT_COLOURS] = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7",
    "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f"};

/* Where colours come again: how lines are broken, and shapes of points. */
static const char *const dashes[AQ_PLOT_BREAKS] = {"none", "6 3", "2 3",
                                                   "8 3 2 3"};
static const char *const shapes[AQ_PLOT_BREAKS] = {
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", "M-3.5 -3.5h7v7h-7z",
    "M0 -4.5L4.5 3.5L-4.5 3.5z", "M0 -5L5 0L0 5L-5 0z"};

static const char *colour(size_t i)
{
  return colours[i % AQ_PLOT_COLOURS];
}

static const char *dash(size_t i)
{
  return dashes[i / AQ_PLOT_COLOURS % AQ_PLOT_BREAKS];
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

/* `margin`: more room on the left. */
static void begin(FILE *out, int margin, double height, const char *title)
{
  const int width = margin + LEFT + WIDTH + 40;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
          "height=\"%.0f\" viewBox=\"%d 0 %d %.0f\" "
          "font-family=\"sans-serif\" font-size=\"12\" fill=\"#808080\">\n",
          width, height, -margin, width, height);
  label(out, 8 - margin, 18, "start", title);
}

/* ---- axes ---- */

typedef struct axis {
  double low, high; /* as `at` gives them */
  bool log;
  const char *unit; /* or NULL */
  double scale;     /* the shown values are less by this */
  double ticks[TICKS_MAX];
  size_t tick_count;
} axis;

static double at(const axis *a, double value)
{
  return a->log ? log10(value > 0 ? value : 1e-300) : value;
}

static void tick_add(axis *a, double value)
{
  if (a->tick_count < TICKS_MAX)
    a->ticks[a->tick_count++] = value;
}

/* 1, 2, 5, 10, 20… for 0, 1, 2, 3, 4… */
static double log_tick(int n)
{
  static const double part[] = {1, 2, 5};
  return part[(n % 3 + 3) % 3] * pow(10, floor(n / 3.0));
}

/* Ticks at 1, 2 and 5; over many decades at 1 alone. */
static void log_make(axis *a, double low, double high)
{
  low = low > 0 ? low : 1e-3;
  high = high > low ? high : low;
  const int every = high / low > 1e4 ? 3 : 1;
  int n = 3 * (int)floor(log10(low));
  while (log_tick(n + every) <= low * (1 + 1e-9))
    n += every;
  do {
    tick_add(a, log_tick(n));
    n += every;
  } while (log_tick(n - every) < high * (1 - 1e-9) || a->tick_count < 2);
}

static void linear_make(axis *a, double low, double high)
{
  const double span = high > low ? high - low : 1;
  const double unit = pow(10, floor(log10(span / 5)));
  const double part = span / 5 / unit;
  const double step = unit * (part > 5 ? 10 : part > 2 ? 5 : part > 1 ? 2 : 1);
  const double first = floor(low / step);
  const int steps = (int)(ceil(high / step) - first);
  for (int n = 0; n <= steps; n++)
    tick_add(a, (first + n) * step);
}

static axis axis_make(double low, double high, bool log, bool time)
{
  static const struct {
    const char *name;
    double us;
  } units[] = {{"s", 1e6}, {"ms", 1e3}, {"us", 1}};
  /* Within a decade a logarithmic axis has too few round numbers. */
  log = log && high > 10 * low;
  axis a = {.log = log, .scale = 1};
  for (int i = 0; time && !a.unit; i++)
    if (high >= 5 * units[i].us || i == 2) {
      a.unit = units[i].name;
      a.scale = units[i].us;
    }
  if (log)
    log_make(&a, low / a.scale, high / a.scale);
  else
    linear_make(&a, low / a.scale, high / a.scale);
  a.low = at(&a, a.ticks[0]);
  a.high = at(&a, a.ticks[a.tick_count - 1]);
  return a;
}

static double place(const axis *a, double shown)
{
  const double part = (at(a, shown) - a->low) / (a->high - a->low);
  return part < 0 ? 0 : part > 1 ? 1 : part;
}

static double x_of(const axis *a, double value)
{
  return LEFT + WIDTH * place(a, value / a->scale);
}

static double y_of(const axis *a, double value)
{
  return TOP + HEIGHT * (1 - place(a, value / a->scale));
}

static void name_put(FILE *out, const axis *a, double x, double y,
                     const char *anchor, const char *name)
{
  char text[128];
  snprintf(text, sizeof text, "%s%s%s%s", name, a->unit ? " (" : "",
           a->unit ? a->unit : "", a->unit ? ")" : "");
  label(out, x, y, anchor, text);
}

static void ticks_x(FILE *out, const axis *a, double bottom, const char *name)
{
  char text[32];
  for (size_t i = 0; i < a->tick_count; i++) {
    const double x = x_of(a, a->ticks[i] * a->scale);
    line(out, x, TOP, x, bottom);
    snprintf(text, sizeof text, "%.10g", a->ticks[i]);
    label(out, x, bottom + 16, "middle", text);
  }
  name_put(out, a, LEFT + WIDTH, bottom + 32, "end", name);
}

static void ticks_y(FILE *out, const axis *a, const char *name)
{
  char text[32];
  for (size_t i = 0; i < a->tick_count; i++) {
    const double y = y_of(a, a->ticks[i] * a->scale);
    line(out, LEFT, y, LEFT + WIDTH, y);
    snprintf(text, sizeof text, "%.10g", a->ticks[i]);
    label(out, LEFT - 6, y + 4, "end", text);
  }
  name_put(out, a, 8, TOP - 12, "start", name);
}

/* ---- plots ---- */

static double half_of(const aq_plot_series *series, size_t i)
{
  return series->half && isfinite(series->half[i]) ? series->half[i] : 0;
}

static void bounds(const aq_plot *plot, axis *x, axis *y)
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (size_t s = 0; s < plot->count; s++)
    for (size_t i = 0; i < plot->series[s].count; i++) {
      const aq_plot_series *of = &plot->series[s];
      const double half = half_of(of, i);
      low[0] = fmin(low[0], of->x[i]);
      high[0] = fmax(high[0], of->x[i]);
      /* A band that reaches 0 has no end on a logarithmic axis. */
      low[1] = fmin(low[1], plot->log_y && half >= of->y[i] ? of->y[i]
                                                            : of->y[i] - half);
      high[1] = fmax(high[1], of->y[i] + half);
    }
  if (!(low[0] <= high[0]))
    low[0] = low[1] = 0, high[0] = high[1] = 1;
  *x = axis_make(plot->form == AQ_PLOT_POINTS ? fmin(low[0], 0) : low[0],
                 high[0], plot->log_x, plot->x_time);
  const bool log_y = plot->log_y && low[1] > 0 && high[1] > 10 * low[1];
  *y =
      axis_make(log_y ? low[1] : fmin(low[1], 0), high[1], log_y, plot->y_time);
}

static size_t look_of(const aq_plot *plot, size_t s)
{
  return plot->series[s].look ? plot->series[s].look - 1 : s;
}

static void point_put(FILE *out, double x, double y, size_t s)
{
  fprintf(out,
          "<path d=\"%s\" transform=\"translate(%.1f %.1f)\" "
          "fill=\"%s\"/>\n",
          shapes[s / AQ_PLOT_COLOURS % AQ_PLOT_BREAKS], x, y, colour(s));
}

/* Over the line and back under it. Many bands are fainter. */
static void band_put(FILE *out, const aq_plot *plot, size_t s, const axis *x,
                     const axis *y)
{
  const aq_plot_series *of = &plot->series[s];
  if (!of->half || of->count < 2)
    return;
  for (size_t i = 0; i < 2 * of->count; i++) {
    const size_t at = i < of->count ? i : 2 * of->count - 1 - i;
    const double side = i < of->count ? 1 : -1;
    fprintf(out, "%s%.1f %.1f", i ? "L" : "<path d=\"M", x_of(x, of->x[at]),
            y_of(y, of->y[at] + side * half_of(of, at)));
  }
  fprintf(out, "Z\" fill=\"%s\" fill-opacity=\"%s\"/>\n",
          colour(look_of(plot, s)), plot->count > 6 ? ".07" : ".16");
}

static void series_put(FILE *out, const aq_plot *plot, size_t s, const axis *x,
                       const axis *y)
{
  const aq_plot_series *of = &plot->series[s];
  const size_t look = look_of(plot, s);
  if (of->count == 0)
    return;
  if (plot->form == AQ_PLOT_LINES) {
    for (size_t i = 0; i < of->count; i++)
      fprintf(out, "%s%.1f %.1f", i ? "L" : "<path d=\"M", x_of(x, of->x[i]),
              y_of(y, of->y[i]));
    fprintf(out,
            "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" "
            "stroke-dasharray=\"%s\"/>\n",
            colour(look), dash(look));
    for (size_t i = 0; i < of->count; i++)
      point_put(out, x_of(x, of->x[i]), y_of(y, of->y[i]), look);
  } else if (plot->form == AQ_PLOT_STAIRS) {
    fprintf(out, "<path d=\"M%.1f %.1f", x_of(x, of->x[0]), y_of(y, 0));
    for (size_t i = 0; i < of->count; i++)
      fprintf(out, "H%.1fV%.1f", x_of(x, of->x[i]), y_of(y, of->y[i]));
    fprintf(out,
            "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" "
            "stroke-dasharray=\"%s\"/>\n",
            colour(look), dash(look));
  } else {
    for (size_t i = 0; i < of->count; i++)
      point_put(out, x_of(x, of->x[i]), y_of(y, of->y[i]), look);
  }
}

static void legend_put(FILE *out, const aq_plot *plot, size_t s, double y)
{
  const size_t look = look_of(plot, s);
  if (plot->form != AQ_PLOT_STAIRS)
    point_put(out, LEFT + 8, y - 4, look);
  if (plot->form != AQ_PLOT_POINTS)
    fprintf(out,
            "<path d=\"M%d %.1fh20\" stroke=\"%s\" stroke-width=\"3\" "
            "stroke-dasharray=\"%s\"/>\n",
            LEFT, y - 4, colour(look), dash(look));
  label(out, LEFT + 28, y, "start", plot->series[s].label);
}

bool aq_plot_print(const aq_plot *plot, FILE *out)
{
  axis x, y;
  const double bottom = TOP + HEIGHT;
  bounds(plot, &x, &y);
  begin(out, 0, bottom + 50 + LEGEND * (double)plot->count, plot->title);
  ticks_x(out, &x, bottom, plot->x_label);
  ticks_y(out, &y, plot->y_label);
  for (size_t s = 0; s < plot->count; s++)
    band_put(out, plot, s, &x, &y);
  for (size_t s = 0; s < plot->count; s++) {
    series_put(out, plot, s, &x, &y);
    legend_put(out, plot, s, bottom + 48 + LEGEND * (double)s);
  }
  fputs("</svg>\n", out);
  return !ferror(out);
}

bool aq_lanes_print(const aq_plot *plot, const char *const *lanes,
                    size_t lane_count, FILE *out)
{
  enum { MARGIN = 90 };
  aq_plot points = *plot;
  axis x, y;
  const double bottom = TOP + LANE * (double)lane_count;
  points.form = AQ_PLOT_POINTS;
  bounds(&points, &x, &y);
  begin(out, MARGIN, bottom + 50 + LEGEND * (double)plot->count, plot->title);
  ticks_x(out, &x, bottom, plot->x_label);
  for (size_t i = 0; i < lane_count; i++) {
    const double at = TOP + LANE * ((double)i + .5);
    line(out, LEFT, at, LEFT + WIDTH, at);
    label(out, LEFT - 6, at + 4, "end", lanes[i]);
  }
  for (size_t s = 0; s < plot->count; s++) {
    const aq_plot_series *of = &plot->series[s];
    const double part = .5 + .6 * (((double)s + .5) / (double)plot->count - .5);
    for (size_t i = 0; i < of->count; i++)
      point_put(out, x_of(&x, of->x[i]), TOP + LANE * (of->y[i] + part),
                look_of(plot, s));
    legend_put(out, &points, s, bottom + 48 + LEGEND * (double)s);
  }
  fputs("</svg>\n", out);
  return !ferror(out);
}

bool aq_gantt_print(const char *title, const char *const *lanes,
                    size_t lane_count, const aq_gantt_bar *bars, size_t count,
                    FILE *out)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    low = fmin(low, bars[i].begin);
    high = fmax(high, bars[i].end);
  }
  const axis x =
      count ? axis_make(low, high, false, true) : axis_make(0, 1, false, true);
  const double bottom = TOP + LANE * (double)lane_count;
  begin(out, 0, bottom + 40, title);
  ticks_x(out, &x, bottom, "time");
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
