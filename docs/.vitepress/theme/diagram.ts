import address from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';
import { useData } from 'vitepress';
import { defineComponent, h, onMounted, shallowRef, useId, watch } from 'vue';

/** Part of Mermaid that is used here. */
interface Mermaid {
  readonly initialize: (options: object) => void;
  readonly render: (id: string, source: string) => Promise<{ readonly svg: string }>;
}

let loading: Promise<Mermaid> | undefined;

/** Loads Mermaid with the first diagram. It is a script that defines a global variable, and no module. */
const loadMermaid = (): Promise<Mermaid> => {
  loading ??= new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), { src: address, onerror: reject });
    script.onload = () => resolve(Reflect.get(globalThis, 'mermaid'));
    document.head.append(script);
  });
  return loading;
};

/** Value of a token in the present theme: Mermaid computes with colors and reads no custom properties. */
const readColor = (token: string): string => {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};

/** Draws a diagram of Mermaid in the colors of the theme. */
export const Diagram = defineComponent({
  props: { source: { type: String, required: true } },
  setup: ({ source }) => {
    const text = decodeURIComponent(source);
    const { isDark } = useData();
    const id = useId().replaceAll(/\W/g, '');
    const drawing = shallowRef('');
    const draw = async () => {
      const mermaid = await loadMermaid();
      mermaid.initialize({
        startOnLoad: false,
        theme: 'base',
        fontFamily: 'var(--vp-font-family-base)',
        themeVariables: {
          darkMode: isDark.value,
          background: readColor('--surface'),
          primaryColor: readColor('--surface-selected'),
          primaryTextColor: readColor('--text'),
          primaryBorderColor: readColor('--accent'),
          secondaryColor: readColor('--surface-muted'),
          tertiaryColor: readColor('--surface-muted'),
          edgeLabelBackground: readColor('--surface-muted'),
          lineColor: readColor('--text-muted'),
          textColor: readColor('--text'),
        },
      });
      drawing.value = (await mermaid.render(`diagram-${id}`, text)).svg;
    };
    onMounted(() => watch(isDark, draw, { immediate: true, flush: 'post' }));
    // Without a script, and until it has drawn, the source is what can be read. On a narrow screen both scroll, for the keyboard too.
    return () =>
      drawing.value === ''
        ? h('pre', { class: 'diagram', tabindex: 0 }, text)
        : h('div', { class: 'diagram', tabindex: 0, role: 'group', 'aria-label': 'Diagram', innerHTML: drawing.value });
  },
});
