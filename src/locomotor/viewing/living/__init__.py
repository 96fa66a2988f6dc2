"""The living page: equations, sliders and the running model in one file that needs no network and no installation."""

from locomotor.viewing.living.page import living_page as living_page
