/** Every color of the pages, by light and by dark. Text on its ground has at least 4.5:1, edges 3:1. */
export const colors = `
:root {
  color-scheme: light dark;
  --page: #f4f0e8;
  --surface: #fffdf9;
  --well: #f8f4ec;
  --ink: #1f1c16;
  --soft: #5c5548;
  --line: #ddd5c5;
  --edge: #8b8171;
  --accent: #17563c;
  --accent-strong: #0e3f2b;
  --on-accent: #ffffff;
  --good-wash: #e6f1ea;
  --error: #a3210f;
  --error-wash: #fcefec;
  --mark: #ffe7b0;
  --on-mark: #4d3800;
  --focus: #1c5bd0;
  --shadow: 0 1px 2px rgb(60 48 24 / 0.06), 0 12px 32px rgb(60 48 24 / 0.09);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #13120f;
    --surface: #1d1b17;
    --well: #24211c;
    --ink: #f2eee4;
    --soft: #b9b1a1;
    --line: #38342c;
    --edge: #8f8675;
    --accent: #86d7a8;
    --accent-strong: #a8e6c1;
    --on-accent: #06220f;
    --good-wash: #16291e;
    --error: #ff9d8b;
    --error-wash: #371a15;
    --mark: #3d300c;
    --on-mark: #ffe09a;
    --focus: #8fbaff;
    --shadow: 0 1px 2px rgb(0 0 0 / 0.4), 0 12px 32px rgb(0 0 0 / 0.35);
  }
}
`;
