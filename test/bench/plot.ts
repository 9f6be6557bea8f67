/** Line of an SVG chart with a logarithmic axis. */
export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Chart {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly Line[];
}

const WIDTH = 460;
const HEIGHT = 320;
const MARGIN = { left: 56, right: 30, top: 34, bottom: 42 };
const LEGEND = 16;
/** Palette of Okabe and Ito, which readers with color blindness can distinguish. */
const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const text = (x: number, y: number, words: string, attributes = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escaped(words)}</text>`;

/** Computes about five axis ticks up to the greatest value, in steps of 1, 2 or 5 times a power of ten. */
const ticksTo = (greatest: number): number[] => {
  const rough = greatest / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.ceil(greatest / step) + 1 }, (_, index) => Number((index * step).toPrecision(6)));
};

const draw = ({ title, x, y, lines }: Chart): string => {
  const points = lines.flatMap((line) => line.points);
  const sizes = [...new Set(points.map(([size]) => size))].sort((a, b) => a - b);
  const [first, last] = [Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 10)];
  const ticks = ticksTo(Math.max(...points.map(([, value]) => value)));
  const across = (size: number): number =>
    MARGIN.left + ((Math.log10(size) - first) / (last - first || 1)) * (WIDTH - MARGIN.left - MARGIN.right);
  const up = (value: number): number =>
    HEIGHT - MARGIN.bottom - (value / (ticks.at(-1) ?? 1)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  return [
    text(WIDTH / 2, 18, title, 'text-anchor="middle" font-weight="bold"'),
    ...ticks.flatMap((tick) => [
      `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${up(tick).toFixed(1)}" y2="${up(tick).toFixed(1)}" stroke="#ddd"/>`,
      text(MARGIN.left - 6, up(tick) + 4, tick.toLocaleString('en-US'), 'text-anchor="end"'),
    ]),
    ...sizes.map((size) =>
      text(across(size), HEIGHT - MARGIN.bottom + 16, size.toLocaleString('en-US'), 'text-anchor="middle"'),
    ),
    text(WIDTH / 2, HEIGHT - 8, x, 'text-anchor="middle"'),
    text(14, HEIGHT / 2, y, `text-anchor="middle" transform="rotate(-90 14 ${HEIGHT / 2})"`),
    ...lines.flatMap((line, index) => {
      const color = COLORS[index % COLORS.length];
      const place = line.points.map(([size, value]) => [across(size).toFixed(1), up(value).toFixed(1)] as const);
      const legend = HEIGHT + 6 + index * LEGEND;
      return [
        `<polyline points="${place.map((pair) => pair.join()).join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>`,
        ...place.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${color}"/>`),
        `<rect x="${MARGIN.left}" y="${legend}" width="12" height="3" fill="${color}"/>`,
        text(MARGIN.left + 18, legend + 5, line.name),
      ];
    }),
  ].join('\n');
};

/** Renders charts next to each other as SVG. @param title for screen readers. */
export const svgOf = (title: string, charts: readonly Chart[]): string => {
  const height = HEIGHT + Math.max(...charts.map(({ lines }) => lines.length)) * LEGEND + 12;
  const width = WIDTH * charts.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...charts.map((chart, index) => `<g transform="translate(${index * WIDTH} 0)">\n${draw(chart)}\n</g>`),
    '</svg>',
    '',
  ].join('\n');
};
