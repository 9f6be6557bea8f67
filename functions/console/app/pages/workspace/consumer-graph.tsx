import type { Workspace } from '../../api/types.ts';
import './consumers-page.css';

const [ROW, WIDTH, BOX, HEIGHT] = [36, 640, 240, 26];
/** Longest name that fits into a box, in characters. */
const LONGEST = 30;

const shorten = (name: string): string => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

const Box = ({ x, y, name }: { readonly x: number; readonly y: number; readonly name: string }) => (
  <g>
    <title>{name}</title>
    <rect x={x + 0.5} y={y + 0.5} width={BOX - 1} height={HEIGHT - 1} rx="4" />
    <text x={x + 10} y={y + HEIGHT / 2 + 4}>
      {shorten(name)}
    </text>
  </g>
);

/** Draws a workspace and those that read its state. The table on the page has the same content. */
export const ConsumerGraph = ({
  name,
  consumers,
}: {
  readonly name: string;
  readonly consumers: readonly Workspace[];
}) => {
  const height = Math.max(1, consumers.length) * ROW;
  const middle = height / 2;
  return (
    <figure className="consumer-graph">
      <svg
        role="img"
        aria-label={`${name} is read by ${consumers.length} workspaces on this page.`}
        viewBox={`0 0 ${WIDTH} ${height}`}
      >
        {consumers.map((consumer, index) => {
          const y = index * ROW + ROW / 2;
          return (
            <g key={consumer.id}>
              <path d={`M ${BOX} ${middle} C 320 ${middle}, 320 ${y}, ${WIDTH - BOX} ${y}`} />
              <Box x={WIDTH - BOX} y={y - HEIGHT / 2} name={consumer.attributes.name} />
            </g>
          );
        })}
        <Box x={0} y={middle - HEIGHT / 2} name={name} />
      </svg>
    </figure>
  );
};
