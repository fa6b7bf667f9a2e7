// layout.js - what Next.js puts around each page.

/** @param {{ children: any }} props */
export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
