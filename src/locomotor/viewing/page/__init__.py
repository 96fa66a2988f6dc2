"""The 3D page: what it is told, how it is drawn, and the live server."""

from locomotor.viewing.page.html import build_page as build_page
from locomotor.viewing.page.html import open_page as open_page
from locomotor.viewing.page.html import to_html as to_html
from locomotor.viewing.page.live import view as view
