import type { Theme } from 'vitepress';
import '@fontsource-variable/inter/wght.css';
import DefaultTheme from 'vitepress/theme-without-fonts';
import '../../../functions/console/app/styles/tokens.css';
import { Diagram } from './diagram.ts';
import './theme.css';

/** The default theme of VitePress in the colors of the web console. */
export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('Diagram', Diagram);
  },
} satisfies Theme;
